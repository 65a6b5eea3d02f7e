export const tabs = ['graph', 'timeline', 'definition'] as const;
export type Tab = (typeof tabs)[number];

/** What the page shows, as the part of its address after the # says. */
export type Place =
  | { readonly view: 'runs'; readonly workflow: string; readonly state: string }
  | { readonly view: 'run'; readonly run: string; readonly tab: Tab; readonly step: string; readonly index: number }
  | { readonly view: 'workflows' }
  | { readonly view: 'workflow'; readonly name: string }
  | { readonly view: 'setup' }
  | { readonly view: 'runtime' };

/** Of a step as a whole. */
export const noIndex = -1;

/** Reads what {@link hashOf} wrote. What is none of that shows the list of runs. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const [view = '', ...rest] = path.split('/');
  const name = decoded(rest.join('/'));
  const fields = new URLSearchParams(query);
  if (view === 'setup' || view === 'runtime') return { view };
  if (view === 'workflows') return name === '' ? { view } : { view: 'workflow', name };
  if (view !== 'runs' || name === '') {
    return { view: 'runs', workflow: fields.get('workflow') ?? '', state: fields.get('state') ?? '' };
  }
  const index = fields.get('index') ?? '';
  return {
    view: 'run',
    run: name,
    tab: tabs.find((each) => each === fields.get('tab')) ?? 'graph',
    step: fields.get('step') ?? '',
    index: /^\d{1,9}$/.test(index) ? Number(index) : noIndex,
  };
}

export function hashOf(place: Place): string {
  switch (place.view) {
    case 'runs':
      return withFields('#runs', { workflow: place.workflow, state: place.state });
    case 'run':
      return withFields(`#runs/${encodeURIComponent(place.run)}`, {
        tab: place.tab === 'graph' ? '' : place.tab,
        step: place.step,
        index: place.index === noIndex ? '' : String(place.index),
      });
    case 'workflow':
      return `#workflows/${encodeURIComponent(place.name)}`;
    default:
      return `#${place.view}`;
  }
}

export const runHash = (run: string) => hashOf({ view: 'run', run, tab: 'graph', step: '', index: noIndex });
export const workflowHash = (name: string) => hashOf({ view: 'workflow', name });

function withFields(path: string, fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(fields).filter(([, text]) => text !== '')).toString();
  return query === '' ? path : `${path}?${query}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address that somebody typed: then it is taken as it is.
    return text;
  }
}
