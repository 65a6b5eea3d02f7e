import { type Place, placeOf } from './place.js';

/** The place that the address names now. */
export class CurrentPlace {
  place = $state.raw<Place>(placeOf(location.hash));

  /** Gives what ends it. */
  follow(): () => void {
    const onChange = () => {
      this.place = placeOf(location.hash);
    };
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }
}
