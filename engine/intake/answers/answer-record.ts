import type { ActionPorts } from '../../actions/ports.ts';
import type { Persona, SecurityConfig } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { languageOfWords, type Unclear } from '../../mail/approval/approval-answer.ts';
import type { Identity, ParsedMail } from '../../mail/mime/types.ts';
import { clarify } from '../../record/job-kinds.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { AnsweredItem, ApprovalAnswer, ApprovalNotice } from '../../storage/types/approvals.ts';

import { LANGUAGES, type Language, languageOf } from '../../wording/language.ts';

export interface RecordDeps extends ActionPorts {
  loopGuard(): SecurityConfig['loop_guard'];
}

/** What was understood of an answer. */
export interface Understood {
  readonly verdict: ApprovalAnswer['verdict'];
  readonly rules?: readonly string[];
  readonly items?: readonly AnsweredItem[];
}

/** What a mail about an answer says; its wording stands in `wording/clarify.ts`. */
export type AboutAnswer =
  | { readonly kind: 'unclear'; readonly why: UnclearCode; readonly detail: string | null }
  | { readonly kind: 'late' };

export type UnclearCode = Unclear | 'closed_item' | 'edit_refused' | 'undo_which' | 'no_words';

/** One answer of an owner: what it was understood as is kept, and what is said about it goes back. */
export interface AnswerRecord {
  /** Whether this very mail was answered to before. */
  isKnown(): Promise<boolean>;
  /** It was acted on. */
  understood(understood: Understood): Promise<void>;
  /** It was not, and its sender is told why: every time, as long as no program answers us. */
  unclear(why: UnclearCode, more?: { detail?: string | undefined; rules?: readonly string[] }): Promise<void>;
  /** All that it could be about was decided before, or its time is over. */
  late(understood?: Understood): Promise<void>;
}

const HOUR_MS = 3_600_000;

export function answerRecord(
  deps: RecordDeps,
  answer: {
    persona: Persona;
    mail: ParsedMail;
    identity: Identity;
    store: Store;
    notice: ApprovalNotice;
    now: number;
  },
): AnswerRecord {
  const { persona, mail, store, notice, now } = answer;
  const by = answer.identity.address ?? '';
  const id = sha256([notice.id, mail.messageId, by, mail.newText].join('\n')).slice(0, 32);
  const rowOf = ({ verdict, rules = [], items = [] }: Understood) => ({
    id,
    notice_id: notice.id,
    message_id: mail.messageId,
    at: now,
    by,
    verdict,
    rules,
    items,
    unclear: null,
    detail: null,
  });
  async function askBack(row: Omit<ApprovalAnswer, 'asked_back'>, about: AboutAnswer): Promise<void> {
    const language = languageOf([mail.newText], languageIn(mail.newText) ?? persona.language);
    const payload = { to: by, notice_id: notice.id, language, about };
    const job = clarify.job({ id: `clarify:${id}`, due_at: now, payload });
    const most = deps.loopGuard().max_replies_per_thread_per_hour;
    await deps.announce(persona.id, now, () => store.recordAnswer(row, { job, since: now - HOUR_MS, most }));
  }
  return {
    isKnown: () => store.knowsAnswer(id),
    understood: (understood) => store.recordAnswer(rowOf(understood), null),
    unclear: (
      why,
      { detail = null, rules = [] }: { detail?: string | null | undefined; rules?: readonly string[] } = {},
    ) => askBack({ ...rowOf({ verdict: 'unclear', rules }), unclear: why, detail }, { kind: 'unclear', why, detail }),
    late: (understood) => askBack({ ...rowOf({ ...understood, verdict: 'late' }) }, { kind: 'late' }),
  };
}

/** A mere "Ja" is too short for whoever looks at letters. */
function languageIn(text: string): Language | undefined {
  const found = languageOfWords(text);
  return LANGUAGES.find((language) => language === found);
}
