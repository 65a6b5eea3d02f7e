/** Which view a page shows, as the part of its address after the # says. The first one is shown unless another is named. */
export class HashView<Name extends string> {
  readonly #names: readonly [Name, ...Name[]];
  name: Name;

  constructor(names: readonly [Name, ...Name[]]) {
    this.#names = names;
    this.name = $state(this.#named());
  }

  /** Gives what ends it. */
  follow(): () => void {
    const onChange = () => {
      this.name = this.#named();
    };
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }

  #named(): Name {
    return this.#names.find((each) => `#${each}` === location.hash) ?? this.#names[0];
  }
}
