import { type Language, languageOf } from '../../languages/language.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import type { Contract, RunFrame } from '../../record/settings.ts';

const MAX_SUBJECT = 160;

/** Pure: the same mail, settings and surface always give the same frame. */
export function frameOf(run: {
  readonly trigger: RunFrame['trigger'];
  readonly profile: RunFrame['profile'];
  readonly subject: string;
  readonly text: string;
  readonly language: Language;
  readonly contract: Contract;
  readonly offered: readonly Pick<ToolFacts, 'risk' | 'scope' | 'asks'>[];
}): RunFrame {
  const changing = run.offered.filter(({ risk, asks }) => risk !== 'read' && !asks).map(({ scope }) => scope);
  return {
    trigger: run.trigger,
    profile: run.profile,
    subject: run.subject.slice(0, MAX_SUBJECT).toWellFormed(),
    can_change: [...new Set(changing)].sort(),
    language: languageOf([run.text], run.language),
    contract: run.contract,
  };
}
