import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { epistle, type Gateway, readOutgoing, startGateway, submit } from '../gateway.ts';
import { olderIn } from '../older-workspace.ts';

// A workspace of the build before asks, until an owner of the whole gateway answers the one mail that offers it otherwise.

const OWNER = 'you@agents.localhost';
const ADA = 'ada@agents.localhost';
const OTHER = 'bob@agents.localhost';
const PATIENCE = { timeout: 60_000, interval: 300 };
const CLOCK = { NODE_ENV: 'test', EPISTLE_TEST_NOW: '2026-11-28T12:00:00Z' };

let place = '';
let root = '';
let gateway: Gateway | undefined;
beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'own-words-before-'));
  root = olderIn(place);
  writeFileSync(join(root, 'configs/security.json'), JSON.stringify({ owners: [OWNER] }));
  const persona = { name: 'Ada', address: ADA, access: { allow: ['*@agents.localhost'] }, owners: [OWNER, OTHER] };
  writeFileSync(join(root, 'personas/ada/persona.json'), JSON.stringify(persona));
  gateway = await startGateway(root, CLOCK);
});
afterEach(async () => {
  await gateway?.end();
  rmSync(place, { recursive: true, force: true });
});

async function left() {
  const folder = join(root, 'data/outgoing');
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return Promise.all(names.toSorted().map((name) => readOutgoing(join(folder, name))));
}
type Left = Awaited<ReturnType<typeof left>>[number];
const offers = async () => (await left()).filter(({ mail }) => mail.subject?.includes('different since the upgrade'));
const setting = (): unknown =>
  JSON.parse(readFileSync(join(root, 'configs/security.json'), 'utf8')).approvals?.own_words;

let count = 0;
const answer = (to: Left, text: string, from = OWNER) => {
  count += 1;
  return submit(root, (gateway as Gateway).ready, {
    from,
    to: to.mail.replyTo?.value[0]?.address ?? ADA,
    subject: `Re: ${to.mail.subject}`,
    inReplyTo: to.mail.messageId ?? '',
    references: [to.mail.references ?? [], to.mail.messageId ?? ''].flat(),
    messageId: `<answer-${count}@example.com>`,
    text,
  });
};
/** What came back for the newest answer. */
const told = async (text: string): Promise<Left> => {
  const find = async () => (await left()).findLast(({ mail }) => mail.text?.includes(text));
  await expect.poll(find, PATIENCE).toBeDefined();
  return (await find()) as Left;
};
const decisions = async () =>
  (await epistle(root, ['audit'])).json.audit.flatMap(
    ({ event, decision, actor }: { event: string; decision: string; actor: string }) =>
      event === 'own_words_decided' ? [[decision, actor]] : [],
  );

it('is asked once, goes by the yes of an owner of the gateway, and by its undo', async () => {
  await expect.poll(offers, PATIENCE).toHaveLength(1);
  const [offer] = (await offers()) as [Left];
  expect(offer.mail.text).toContain('Reply "yes", and from now on I do what your own mail asks for');
  expect(setting()).toBeUndefined();
  // Somebody who owns this persona alone decides nothing for all of them, and a condition is no yes.
  await answer(offer, 'Yes', OTHER);
  await told('Only an owner of the whole gateway decides that.');
  await answer(offer, 'Yes, but only reminders.');
  await told('I have done nothing');
  expect(setting()).toBeUndefined();
  // Most of the mail is news: what only says that it was read with pleasure is no yes to what it offers.
  await answer(offer, 'Perfect.');
  await told('Thanks, praise or a picture alone is no yes to me.');
  expect(setting()).toBeUndefined();
  await answer(offer, 'Ok, thanks');
  await expect
    .poll(async () => (await left()).filter(({ mail }) => mail.text?.includes('is no yes to me.')).length, PATIENCE)
    .toBe(2);
  expect(setting()).toBeUndefined();
  await answer(offer, 'Yes, please.');
  const receipt = await told('From now on I do without a second question');
  expect(setting()).toBe('count');
  await answer(offer, 'No');
  await told('it was done before');
  expect(setting()).toBe('count');
  await answer(receipt, 'undo');
  await told('I ask as before');
  expect(setting()).toBeUndefined();
  expect(await decisions()).toEqual([
    ['undo', OWNER],
    ['approve', OWNER],
  ]);
  await gateway?.stop();
  gateway = await startGateway(root, CLOCK);
  await answer(offer, 'Yes');
  await expect
    .poll(async () => (await left()).filter(({ mail }) => mail.text?.includes('it was done before')).length, PATIENCE)
    .toBe(2);
  expect(setting()).toBeUndefined();
  expect(await offers()).toHaveLength(1);
}, 240_000);

it('keeps a no, over another start', async () => {
  await expect.poll(offers, PATIENCE).toHaveLength(1);
  const [offer] = (await offers()) as [Left];
  await answer(offer, 'No');
  await told('I go on asking, as before.');
  expect(setting()).toBe('ask');
  await gateway?.stop();
  gateway = await startGateway(root, CLOCK);
  await answer(offer, 'Yes');
  await told('it was done before');
  expect(setting()).toBe('ask');
  expect(await offers()).toHaveLength(1);
  expect(await decisions()).toEqual([['deny', OWNER]]);
}, 240_000);
