import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { type Language, LANGUAGES } from '../../../engine/wording/language.ts';
import { type Kind, OWNER } from './kind.ts';
import { KINDS } from './kinds.ts';
import { openMailOffice } from './office.ts';

/** What is written to whoever asked, in the language of their own mail, or to nobody who owns the persona. */
const TO_ASKERS: ReadonlySet<string> = new Set(['reply', 'wait', 'relay']);

/** The newest mail of a kind to the owner, who reads this language; all mail that came, and the persona's, is English. */
async function lines(kind: Kind, reads: Language): Promise<readonly string[] | null> {
  const persona = { ...kind.options?.persona, language: 'en' };
  const ownerLanguages = { [OWNER]: reads };
  const office = await openMailOffice(kind.model, { ...kind.options, persona, ownerLanguages });
  try {
    await kind.happens(office, ({ en }) => en);
    const raw = (await office.written(kind.kind, OWNER)).at(-1);
    if (!raw) return null;
    const { subject = '', text = '' } = await simpleParser(raw);
    return [subject, ...text.split('\n')].map((line) => line.replace(/^[\s|>]+/, '').trim());
  } finally {
    await office.close();
  }
}

describe('an owner who reads another language than everybody else', () => {
  it.each(KINDS.filter(({ kind }) => !TO_ASKERS.has(kind)))('$name', async (kind) => {
    const english = await lines(kind, 'en');
    const japanese = await lines(kind, 'ja');
    process.stdout.write(`${kind.name} ${kind.kind}: ${JSON.stringify(english?.filter((l) => l !== '' && japanese?.includes(l)))}\n`);
    expect(LANGUAGES).toContain('ja');
  });
});
