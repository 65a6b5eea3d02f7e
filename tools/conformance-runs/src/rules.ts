/** The numbers of rules that a title begins with: `S4, S7: …`. */
export function rulesOf(title: string): readonly string[] {
  const lead = /^[A-Z]\d+(?:\s*[,/&+]\s*[A-Z]\d+)*\b/.exec(title)?.[0] ?? '';
  return lead.match(/[A-Z]\d+/g) ?? [];
}

/** In the order in which they are written down: R, S, W, A, C, Q, G, each by number. */
export function compareRules(a: string, b: string): number {
  const order = (rule: string) => 'RSWACQG'.indexOf(rule.charAt(0)) * 1000 + Number(rule.slice(1));
  return order(a) - order(b);
}
