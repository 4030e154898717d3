import { expect, it } from 'vitest';
import { callBlocks } from '../../../../engine/delivery/questions/call-blocks.ts';
import { originBlocks } from '../../../../engine/delivery/questions/requests.ts';
import { LANGUAGES, type Language } from '../../../../engine/languages/language.ts';
import { say } from '../../../../engine/languages/say.ts';
import type { Origin } from '../../../../engine/record/origins.ts';
import type { Approval, ForeignValue } from '../../../../engine/storage/types/approvals.ts';

const CAROL = 'carol@example.com';
const store = { attachmentNamed: async () => undefined } as never;

const asked = (
  origins: readonly ForeignValue[],
  { tool = 'send_email', args = { to: [CAROL] } as object } = {},
): Pick<Approval, 'kind' | 'tool' | 'arguments_json' | 'origins'> => ({
  kind: 'call',
  tool,
  arguments_json: JSON.stringify(args),
  origins,
});
async function said(approval: ReturnType<typeof asked>, language: Language): Promise<string> {
  const [block] = await originBlocks(store, approval, language);
  return block?.kind === 'text' ? block.text : '';
}
const read = (origin: string | null, more: Partial<ForeignValue> = {}): ForeignValue => ({
  ...{ kind: 'address', value: CAROL, at: 'to', origin },
  ...more,
});

const PLACES: readonly Origin[] = [
  'the mail that is answered',
  'its subject',
  'the names of its attachments',
  'an invitation that came with it',
  'what stood beside the mail',
  'what it was handed',
  'what stood beside an earlier mail',
  'what was done for an earlier mail',
  'an answer that came back',
  'an earlier answer of this thread',
  'an earlier answer that was recalled',
  'notes that are kept for all mail',
  'the summary of an earlier thread',
  'a standing rule',
  'a document in knowledge/',
  'what is quoted in an earlier mail of the thread',
  'what was forwarded with a later mail of the same sender',
  'what stands below the mail that is answered',
  'what somebody else may have written in the mail that is answered',
  'its subject, of a later mail of the same sender',
  'what search_mail returned for an earlier mail',
  'an earlier mail of elif@test.local, recalled',
  'the subject of an earlier mail of elif@test.local',
];
/** Words of ours that stand in one of the other languages only where nobody has put them into it. */
const ENGLISH = /\b(?:mail of|the|what|earlier|recalled|thread|stood|which|with)\b/;

it('where a value comes from is said in the language of whoever is asked', async () => {
  for (const language of LANGUAGES)
    for (const origin of [...PLACES, 'words of a version that nobody knows']) {
      const line = await said(asked([read(origin)]), language);
      expect(line, `${language}: ${origin}`).toContain(CAROL);
      if (language !== 'en') expect(line, `${language}: ${origin}`).not.toMatch(ENGLISH);
    }
  expect(await said(asked([read('an earlier mail of elif@test.local, recalled')]), 'de')).toBe(
    `Bitte prüfen: ${CAROL} stammt aus einer früheren Mail von elif@test.local. In diesem Verlauf hat es niemand genannt, dessen Wort hier gilt.`,
  );
  expect(await said(asked([read('what is quoted in an earlier mail of elif@test.local')]), 'de')).toContain(
    'stammt aus dem, was darin zitiert ist (einer früheren Mail von elif@test.local).',
  );
});

it('an id is no value that anybody is to check, and stands in no preview', async () => {
  const args = { to: [CAROL], subject: 'Offer', body: 'Dear Carol', in_reply_to: '<a4e9@example.com>' };
  const ids = read('an earlier mail of carol@example.com', { value: 'a4e9@example.com', at: 'in_reply_to' });
  expect(await said(asked([ids], { args }), 'en')).toBe('');
  expect(await said(asked([ids, read(null)], { args }), 'en')).toBe(
    `Please check: in this conversation, nobody gave me ${CAROL}. I put it in myself.`,
  );
  const seen = { language: 'en' as const, fresh: new Set<string>(), enclosedAs: () => null };
  const shown = JSON.stringify(callBlocks({ tool: 'send_email', args, preview: null }, seen));
  expect(shown).toContain('Dear Carol');
  expect(shown).not.toMatch(/a4e9|reply to/);
  // Of a tool that somebody added nobody knows what the argument means.
  expect(await said(asked([ids], { tool: 'crm_note', args }), 'en')).toContain('a4e9@example.com');
  const plan = { steps: [{ tool: 'crm_note', arguments: args }] };
  expect(await said({ ...asked([ids], { tool: 'plan', args: plan }), kind: 'plan' }, 'en')).toContain('a4e9');
});

it('the words of a task are not cut: it is said that they are the persona’s own', async () => {
  const prompt = `Remind Rosa of the tables. ${'Name each guest. '.repeat(30)}`;
  const words = read(null, { kind: 'words', value: `${prompt.slice(0, 100)} … ${prompt.slice(-100)}`, at: 'prompt' });
  expect(await said(asked([words], { tool: 'schedule_task', args: { prompt } }), 'de')).toBe(
    say('de', 'mails.composedInstruction'),
  );
});

it('the settings of a task are said in words', () => {
  const args = { action: 'create', task: 'tables', name: 'Tische', deliver: 'owner', timezone: 'Europe/Berlin' };
  const shown = (language: Language, more: object = {}) =>
    callBlocks(
      { tool: 'schedule_task', args: { ...args, ...more }, preview: null },
      { language, fresh: new Set<string>(), enclosedAs: () => null },
    ).flatMap((block) => (block.kind === 'fields' ? block.rows.map(({ label, value }) => `${label}: ${value}`) : []));
  expect(shown('de', { missed: 'skip', overlap: 'queue', thread: 'sticky' })).toEqual([
    'Aufgabe: Tische',
    'Zeitzone: Europe/Berlin',
    'Wenn ein Termin ausfiel: auslassen',
    'Wenn die letzte noch läuft: danach',
  ]);
  expect(shown('fr', { deliver: 'none' })).toContain('À: rien');
});
