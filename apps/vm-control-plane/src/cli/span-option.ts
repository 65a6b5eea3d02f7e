import { InvalidArgumentError as InvalidValue, Option } from 'commander';
import type { Span } from '../hypervisor/simulation-options.js';

export function spanOption(flags: string, description: string, preset: Span): Option {
  return new Option(flags, description).argParser(span).default(preset, `${preset.minMs}-${preset.maxMs}`);
}

/** `500` or `500-2000` */
function span(text: string): Span {
  const parts = /^(\d+)(?:-(\d+))?$/.exec(text);
  const minMs = Number(parts?.[1]);
  const maxMs = Number(parts?.[2] ?? parts?.[1]);
  if (parts === null || maxMs < minMs) throw new InvalidValue('It must be like 500 or 500-2000.');
  return { minMs, maxMs };
}
