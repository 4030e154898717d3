import type { Language } from '../../languages/language.ts';
import { isKey, say, type Under } from '../../languages/say.ts';
import type { LoopState } from '../../record/state.ts';
import type { Gated } from '../evidence/gate.ts';
import type { EndDecision } from '../loop/end.ts';

/** The words of the one final mail, but for its receipt. */
export interface FinalWords {
  /** The model's own, word for word; the gateway's where it has none to send. */
  readonly text: string;
  /** Why it is not all, to stand before it. */
  readonly above: string;
}

/** What is to be sent of the run's own: what the model said last, with its sources below; nothing where the run failed. */
export const saidIn = (
  decision: EndDecision,
  { lastText }: Pick<LoopState, 'lastText'>,
  gated: Pick<Gated, 'text'> | null = null,
): string => (decision.decision === 'FAIL' || isNothing(decision) ? '' : (gated?.text ?? lastText).trim());

/** The model says that the mail needs no answer. */
export const isNothing = (decision: EndDecision): boolean =>
  decision.decision === 'FINAL' && decision.reason === 'nothing';

/** Whether it is all that there is to say. */
export const isWholeAnswer = (decision: EndDecision, said: string): boolean =>
  decision.decision === 'FINAL' && (said !== '' || isNothing(decision));

/** How a run ends of which there is nothing to tell. */
export const UNSAID = { status: 'done', outcome: 'silent:nothing', code: 'nothing' } as const;

/** The text of the one final mail, for every way in which a run can end. */
export function finalWords(
  decision: EndDecision,
  said: string,
  language: Language,
  missing: readonly string[] = [],
): FinalWords {
  switch (decision.decision) {
    case 'FINAL':
      return { text: said || (decision.outcome === 'refusal' ? say(language, 'unfinished.refused') : ''), above: '' };
    case 'FINAL_PARTIAL':
      return {
        text: said,
        above: say(language, 'unfinished.notComplete', {
          because: withNames(say(language, `unfinished.partly.${partlyBecause(decision)}`), missing),
        }),
      };
    case 'FAIL': {
      if (decision.reason === 'cancelled') return { text: '', above: say(language, 'unfinished.stopped') };
      const because = `unfinished.not.${decision.reason}` as const;
      return {
        text: '',
        above: say(language, 'unfinished.couldNot', {
          because: say(language, isKey(because) ? because : 'unfinished.not.other'),
        }),
      };
    }
  }
}

type PartlyBecause = Under<'unfinished.partly'>;

/** Why it is not all, in the words that there are for it. */
export const partlyBecause = ({ reason, empty }: Extract<EndDecision, { decision: 'FINAL_PARTIAL' }>): PartlyBecause =>
  empty ? 'provider' : reason;

const withNames = (because: string, missing: readonly string[]): string =>
  missing.length === 0 ? because : `${because} (${missing.join('; ')})`;
