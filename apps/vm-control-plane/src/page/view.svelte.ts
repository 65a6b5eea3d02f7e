const views = ['fleet', 'runtime'] as const;
export type ViewName = (typeof views)[number];

/** What the page shows, as the part of its address after the # says. */
export class View {
  name = $state<ViewName>(named());

  /** Gives what ends it. */
  follow(): () => void {
    const onChange = () => {
      this.name = named();
    };
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }
}

function named(): ViewName {
  return views.find((each) => `#${each}` === location.hash) ?? 'fleet';
}
