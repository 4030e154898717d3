import { expect } from 'vitest';
import type { Json } from '#contract';
import type { ScriptedCall } from '../../fakes/model-script.ts';
import { OWNER } from '../governance-rig.ts';
import { mailCall, openOwnWords, TIM } from '../own-words/rig.ts';
import { openPersonaDb } from '../persona-db.ts';
import { onceRecorded } from '../record.ts';

export interface Wanted {
  readonly quote: string;
  readonly effect?: string;
  readonly for?: string;
  readonly tools?: readonly string[];
  readonly whom?: readonly string[];
  readonly until?: string;
  readonly replaces?: string;
}

export const ruleCall = (wanted: Wanted): ScriptedCall => ({ name: 'remember_rule', arguments: { ...wanted } as Json });

export { mailCall };

/** A gateway whose owner says what is to hold, with a model at the wire that proposes what a test gives it. */
export async function openRules(files: Readonly<Record<string, string | object>> = {}, security: object = {}) {
  const office = await openOwnWords(
    { loop_guard: { fast_reply_s: 0, max_replies_per_sender_per_hour: 1000 }, ...security },
    files,
  );
  const rules = async (...options: string[]) => (await office.cli('rules', 'list', ...options)).json.rules;
  /** What the model was shown beside the mail of that subject when it was first asked about it. */
  const promptOf = (subject: string): string =>
    office.requests.find(({ view }) => view.lastUser.includes(subject))?.view.lastUser ?? '';
  /** An event of a run. */
  const eventsOf = (runId: string, type: string) => {
    const db = openPersonaDb(office.root, 'ada');
    try {
      return db.events(runId).filter((event) => event.type === type);
    } finally {
      db.close();
    }
  };
  return {
    ...office,
    rules,
    promptOf,
    eventsOf,
    /** Resolves when the newest mail of the persona to others has gone to this address as well. */
    copied: (address: string) =>
      onceRecorded(office.root, async () => {
        const mails = (await office.left('reply', TIM)).filter(({ mail }) => mail.subject === 'Tomorrow');
        expect(mails.at(-1)?.envelopeTo).toContain(address);
      }),
    /** The mail that says that it holds now. */
    noticeOf: (quote: string) =>
      onceRecorded(office.root, async () => {
        const found = (await office.left('notice', OWNER)).find(({ mail }) => mail.text?.includes(quote));
        if (found === undefined) throw new Error('nobody was told');
        return found;
      }),
    /** The owner answers the question about a rule with yes, and that is waited for. */
    async yes(quote: string) {
      // A long sentence is broken over two lines, each behind a sign.
      const question = await onceRecorded(office.root, async () => {
        const found = (await office.left('approval')).find(({ mail }) =>
          mail.text?.replaceAll(/\n\s*[|>]?\s*/g, ' ').includes(quote),
        );
        if (found === undefined) throw new Error('nobody was asked');
        return found;
      });
      await office.answer(question, 'yes', { from: OWNER });
      return question;
    },
  };
}

export type RulesOffice = Awaited<ReturnType<typeof openRules>>;
