import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { eventually } from './eventually.ts';
import { CARL, MEMBER, type Office, OWNER, openOffice } from './governance-rig.ts';
import { openPersonaDb, type RunView } from './persona-db.ts';
import { STEADY } from './workspace.ts';

const SAID = 'All set, Carl has the offer now.\n\n| What | Done |\n| --- | --- |\n| offer | *yes* |';
const JANA = 'jana@partner.example';
const BODY = 'Dear Jana,\n\nthe price is 4,711 EUR.\n\nMaria';

const open: { model?: FakeModel; office?: Office } = {};
const office = (): Office => {
  if (!open.office) throw new Error('not open');
  return open.office;
};

beforeAll(async () => {
  open.model = await startFakeModel('openai', ({ view }) => {
    if (view.turn > 0) return { text: SAID };
    if (view.lastUser.includes('what exactly')) return { text: 'I wrote to her what stands above.' };
    const to = view.lastUser.includes('Jana') ? JANA : CARL;
    return { calls: [{ name: 'send_email', arguments: { to: [to], subject: 'The offer', body: BODY } }] };
  });
  const persona = (id: string, more: object) => ({
    [`personas/${id}/persona.json`]: {
      name: id,
      address: `${id}@agents.localhost`,
      access: { allow: [MEMBER] },
      ...more,
    },
    [`personas/${id}/PERSONA.md`]: `You are ${id}.`,
  });
  open.office = await openOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      tool_policy: {
        rules: [
          { tool: 'send_email', when: { to: '*@elsewhere.example' }, decision: 'deny' },
          { tool: 'send_email', when: { to: '*@partner.example' }, decision: 'allow' },
        ],
      },
    },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: open.model.baseUrl } }] },
    ...persona('mara', { answer: { effects: ['mail:create'] } }),
    ...STEADY,
  });
});
afterAll(async () => {
  await open.office?.close();
  await open.model?.stop();
});

async function ended(persona: string, messageId: string): Promise<{ run: RunView; text: string }> {
  const read = () => {
    const db = openPersonaDb(office().root, persona);
    try {
      const run = db.runOf(messageId);
      const isOver = run?.status === 'done' || run?.status === 'failed';
      return run && isOver ? { run, text: db.replyText(run) ?? '' } : null;
    } finally {
      db.close();
    }
  };
  const found = await eventually(read, (one) => one !== null);
  if (!found) throw new Error('not over');
  return found;
}

describe('an act that a rule denies, said to be done', () => {
  const NOT_DONE = `Not done: mail to ${CARL} "The offer" (not allowed by a rule)`;

  it('leaves word for word, with what is so below it, in both parts of the mail', async () => {
    const id = await office().post({ from: MEMBER, subject: 'Offer', text: `Send the offer to ${CARL}, please.` });
    const { run, text } = await ended('ada', id);
    expect(run).toMatchObject({ outcome: 'partial' });
    expect(text).toBe(`${SAID}\n\n${NOT_DONE}`);
    const { mail } = await office().arrival('reply', MEMBER);
    expect(mail.text).toContain(SAID);
    expect(mail.text?.split(NOT_DONE)).toHaveLength(2);
    const html = String(mail.html)
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll('&quot;', '"')
      .replaceAll(/\s+/g, ' ');
    expect(html).toContain('All set, Carl has the offer now.');
    expect(html.split(NOT_DONE)).toHaveLength(2);
    expect(await office().left('message', CARL)).toEqual([]);
  });

  it('is no fulfilled contract where the persona owes a mail', async () => {
    const id = await office().post({
      from: MEMBER,
      to: 'mara@agents.localhost',
      text: `Send the offer to ${CARL}, please.`,
    });
    const { run, text } = await ended('mara', id);
    expect(run).toMatchObject({ outcome: 'partial', code: 'contract' });
    expect(text).toContain(NOT_DONE);
    expect(text).toContain(SAID);
  });
});

it('what was sent is known in the thread, word for word', async () => {
  const id = await office().post({ subject: 'Jana', text: `Send Jana (${JANA}) the offer, please.` });
  const { run, text } = await ended('ada', id);
  expect(text).toBe(`${SAID}\n\nDone: mail to ${JANA} "The offer"`);
  const again = await office().post({
    subject: 'Re: Jana',
    inReplyTo: run.reply_message_id ?? '',
    references: [id, run.reply_message_id ?? ''],
    text: 'And what exactly did you write to her?',
  });
  await ended('ada', again);
  const shown = JSON.stringify(open.model?.requests.at(-1)?.body ?? '');
  expect(shown).toContain('the price is 4,711 EUR.');
  expect(shown).toContain('Done: mail to jana@partner.example');
});
