/**
 * Has something going on while the page can be seen. Browsers open six connections to a server, for all of its pages
 * together: event streams of pages in the background would hold up the others. Gives what ends it.
 */
export function whileVisible(follower: { start(): void; stop(): void }): () => void {
  let isOn = false;
  const onChange = () => {
    const isWanted = document.visibilityState === 'visible';
    if (isWanted === isOn) return;
    isOn = isWanted;
    if (isOn) follower.start();
    else follower.stop();
  };
  onChange();
  document.addEventListener('visibilitychange', onChange);
  return () => {
    document.removeEventListener('visibilitychange', onChange);
    if (isOn) follower.stop();
  };
}
