import { InvalidArgumentError } from './errors.js';
import { type YamlMapping, type YamlSource, yamlSources } from './yaml-source.js';

/** Directives and the markers of documents, which only stand at the beginning of a line. */
const markers = /^(?:%|(?:---|\.\.\.)(?:[ \t\r]|$))/m;

/**
 * The YAML of a spec as it stands behind the colon of `spec:`, four columns in. Throws `invalid-argument` when it is not
 * the YAML of one mapping.
 */
export function embeddedYaml(yaml: string): string {
  const [source, second] = yamlSources(yaml);
  if (source === undefined || second !== undefined) {
    throw new InvalidArgumentError('the YAML of a spec must be one document');
  }
  const root = source.mapping(source.root, 'a spec', source.root);
  const text = markers.test(yaml) ? extractedYaml(source, root) : yaml;
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  if (root.flow === true && lines.length === 1) return ` ${lines.join()}\n`;
  return `\n${lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n')}\n`;
}

/**
 * The source text of a mapping as a document of its own: moved to the left margin, without the comments around it, its
 * lines ending in newlines.
 */
export function extractedYaml(source: YamlSource, node: YamlMapping): string {
  const [start, end] = node.range as [number, number, number];
  const margin = start - (source.stream.lastIndexOf('\n', start - 1) + 1);
  const indented = source.stream.slice(start - margin, start).trim() === '' || node.flow !== true;
  const [first = '', ...rest] = source.stream.slice(start, end).replaceAll('\r\n', '\n').split('\n');
  const lines = [first, ...rest.map((line) => (indented ? dedented(line, margin) : line))];
  const text = lines.join('\n');
  const yaml = text.endsWith('\n') ? text : `${text}\n`;
  if (yaml.includes('*')) checkAliases(source, node, yaml);
  return yaml;
}

function dedented(line: string, margin: number): string {
  let blanks = 0;
  while (blanks < margin && line[blanks] === ' ') blanks++;
  return line.slice(blanks);
}

/** An anchor outside of the mapping would be missing in its text. */
function checkAliases(source: YamlSource, node: YamlMapping, yaml: string): void {
  for (const extracted of yamlSources(yaml)) {
    if (extracted.danglingAlias() !== undefined) {
      throw source.fault(node, 'an alias in the spec of a type that is not known must have its anchor in the spec too');
    }
  }
}
