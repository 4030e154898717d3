import type { ModelMessage } from '#contract';
import type { GateVerdict } from '../loop/decide.ts';
import { unknownIdsIn } from './citations.ts';
import type { Evidence } from './evidence.ts';
import { type Limitation, limitationsOf } from './limitations.ts';

export interface GateInput {
  readonly text: string;
  /** The run's results. */
  readonly evidence: readonly Evidence[];
  /** What the model was shown besides: history and the mail. */
  readonly shown: readonly ModelMessage[];
  readonly now: number;
  /** Call ids of results whose source says something else by now (drift.ts). */
  readonly drifted: ReadonlySet<string>;
}

/** What the final gate found of one answer. */
export interface Gated {
  readonly contract: { readonly required: readonly string[]; readonly missing: readonly string[] };
  readonly limitations: readonly Limitation[];
  /** Ids that the text cites and that nothing has. */
  readonly unknown_ids: readonly string[];
  readonly verdict: GateVerdict;
  /** The answer as it may be sent: the model's own words, always. */
  readonly text: string;
  /** For a reader of an answer that stays incomplete. */
  readonly missing: readonly string[];
}

/** What is on record beside an answer before it may be sent. Its words are nobody's to judge. Pure. */
export function gate({ text, evidence, shown, now, drifted }: GateInput): Gated {
  const missing = text.trim() === '' ? ['answer'] : [];
  return {
    contract: { required: ['answer'], missing },
    limitations: limitationsOf(evidence, { now, drifted }),
    unknown_ids: unknownIdsIn(text, evidence, (id) => shown.some((message) => textOf(message).includes(id))),
    verdict: { missing, contradicted: 0, unsupported: 0, gap: '' },
    text,
    missing: [],
  };
}

function textOf(message: ModelMessage): string {
  if (message.role === 'assistant') return message.text;
  if (message.role !== 'user') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
