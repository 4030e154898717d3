import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import type { Language } from '../../../engine/languages/language.ts';
import { SAID_BY_OTHERS } from './further-kinds.ts';
import { type Kind, OWNER } from './kind.ts';
import { KINDS } from './kinds.ts';
import { openMailOffice } from './office.ts';
import { ARABIC, ASKED_IN_ARABIC, REPLY } from './reply-kinds.ts';

/** What is written to whoever asked, in the language of their own mail, or to nobody who owns the persona. */
const TO_ASKERS: ReadonlySet<string> = new Set(['reply', 'wait', 'relay']);

/** The newest mail of a kind to the owner, who reads this language; all mail that came, and the persona's, is English. */
async function lines(kind: Kind, reads: Language): Promise<readonly string[]> {
  const persona = { ...kind.options?.persona, language: 'en' };
  const ownerLanguages = { [OWNER]: reads };
  const office = await openMailOffice(kind.model, { ...kind.options, persona, ownerLanguages });
  try {
    await kind.happens(office, ({ en }) => en);
    const raw = (await office.written(kind.kind, OWNER)).at(-1);
    if (!raw) throw new Error(`no ${kind.kind} was written to the owner`);
    const { subject = '', text = '' } = await simpleParser(raw);
    return [subject, ...text.split('\n')].map((line) => line.replace(/^[\s|>]+/, '').trim());
  } finally {
    await office.close();
  }
}

/** What people, files and the model wrote: it stands in every mail as it is. */
const OF_OTHERS: readonly string[] = [
  ...['Please mail Carol that lunch is at 12 today, and that I bring the cake.', 'Hi Carol,', 'lunch is at 12.', 'Bob'],
  ...['Please write me every weekday at nine what is new in the mailbox.', 'Tell me what is new.'],
  ...['Please delete the two old notes, we do not need them any more.', 'May I offer Clara a discount of 5 %?'],
  ...['Old.', 'Older.', 'Soup', 'Cake', '# Lunch', '- Lunch is at 13.', '+ Lunch is at 12.', '--', 'Ada'],
];
/** Longer texts of theirs, whose lines are folded in a mail. */
const LONGER = [REPLY, ARABIC, ASKED_IN_ARABIC, ...SAID_BY_OTHERS].join('\n').replaceAll(/\s+/g, ' ');
const isOfOthers = (line: string): boolean => OF_OTHERS.includes(line) || LONGER.includes(line);

describe('an owner who reads another language than the persona and whoever asks', () => {
  it.each(KINDS.filter(({ kind }) => !TO_ASKERS.has(kind)))('is written to in it: $name', async (kind) => {
    const english = await lines(kind, 'en');
    for (const reads of ['de', 'fr', 'ja'] as const) {
      const theirs = await lines(kind, reads);
      const same = theirs.filter((line) => line !== '' && english.includes(line) && !isOfOthers(line));
      expect({ reads, same }).toEqual({ reads, same: [] });
    }
  });
});
