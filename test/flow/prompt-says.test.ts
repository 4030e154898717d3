import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, CARL, MEMBER, OWNER } from './governance-rig.ts';

// What the shipped prompt says has to be so in each run that it is shown in: a model that reads two things does neither.

const SECOND = 'lind@example.com';
const EVERYBODY = 'We are closed on 24 December';
const shipped = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
/** Nobody answers there: what is sent lies in the outgoing folder, and Drafts are out of reach. */
const imap = { host: '127.0.0.1', port: 9, tls: 'none', user: 'u', secret_env: 'IN_SECRET' };

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
const first = (text: string) =>
  made().model.requests.find(({ view }) => view.turn === 0 && view.lastUser.includes(text)) ?? made().model.requests[0];
const system = () => made().model.requests[0]?.view.system ?? '';
const raw = (text: string) => first(text)?.raw.toString() ?? '';
const beside = (text: string) => first(text)?.view.lastUser ?? '';

beforeAll(async () => {
  rig.made = await openModelled(
    (turn, mail) => {
      const quote = EVERYBODY;
      if (turn === 0 && mail.includes('tell everybody'))
        return { calls: [{ name: 'remember', arguments: { text: `${quote}.`, quote, everyone: true } }] };
      const task = { task: 'Sum it up', context: [], tools: ['read_file'] };
      if (turn === 0 && mail.includes('hand it on')) return { calls: [{ name: 'delegate', arguments: task }] };
      return { text: 'Here you are.' };
    },
    {
      'configs/prompts/system.md': shipped('configs/prompts/system.md'),
      'configs/security.json': { owners: [OWNER, SECOND], approvals: { batch_window_s: 0 } },
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        access: { allow: [MEMBER] },
        memory: { facts: true, recall: false },
        delegation: { enabled: true },
        learning: { enabled: true },
      },
    },
  );
  const { office } = made();
  await office.ask('Please say hello.', OWNER, 'Hello');
  await office.ask(`Remember this and tell everybody: ${EVERYBODY}.`, OWNER, 'Closed');
  await office.ask('Please hand it on.', OWNER, 'Parts');
  await office.post({
    raw: [
      ...[`From: ${MEMBER}`, `To: ${ADA}`, `Cc: ${CARL}`, 'Subject: Both', 'Message-ID: <both@member.example>', ''],
      'When are you closed? Sum it up for both of us.',
    ].join('\r\n'),
    from: MEMBER,
  });
  await office.arrival('reply', MEMBER);
});
afterAll(() => made().close());

describe('the shipped prompt', () => {
  it('leaves it to the tools how files go along: attach and attach_as do, too', () => {
    expect(system()).toContain('Files go along by the tools that say so.');
    expect(system()).not.toMatch(/send_email only/);
  });

  it('names remembering beside the files, where that is possible', () => {
    expect(system()).toContain('you keep only your files and what tools remember');
    expect(made().model.requests[0]?.view.tools).toContain('remember');
  });

  it('says one thing about sums', () => {
    expect(system().replaceAll(/\s+/g, ' ')).toContain('Do sums with a tool where there is one, else step by step.');
  });

  it('says what a call costs that needs approval', () => {
    expect(system().replaceAll(/\s+/g, ' ')).toContain(
      'If a result says "waiting", answer now and say what waits for whom; the sender hears later how it went.',
    );
  });

  it('says what is rendered and what is not', () => {
    expect(system().replaceAll(/\s+/g, ' ')).toContain('Markdown is rendered, LaTeX is not.');
  });

  it('calls two owners two', () => {
    expect(system()).toContain(`Owned by: ${OWNER}, ${SECOND}.`);
    expect(beside('Sum it up for both')).toContain(`Your owners: ${OWNER}, ${SECOND}`);
  });
});

describe('where the final text goes', () => {
  it('is said where it goes to the sender alone, and not to those in Cc', () => {
    expect(beside('Sum it up for both')).toContain('goes to the sender alone; the others in To and Cc do not get it');
    expect(beside('Please say hello')).not.toContain('goes to the sender alone');
  });

  it('is said to a child run, whose answer is no mail', () => {
    const child = made().model.requests.find(({ view }) => view.lastUser.includes('Task:'));
    expect(child?.view.lastUser).toContain(
      'goes to the run that handed you this part of the work, and to nobody by mail',
    );
    expect(beside('Please say hello')).not.toContain('handed you');
  });
});

describe('what the tools say of themselves', () => {
  it('explains where a figure is read and how a thread is gone on with', () => {
    expect(raw('Please say hello')).toContain('t3, t3.r12.c4, m7, mail, path');
    expect(raw('Please say hello')).toContain('Message-ID of a mail to the same people: goes on in its thread');
  });

  it('asks for no name of a rule in words of the owner', () => {
    expect(raw('Please say hello')).toContain('Texts in it, but for names of rules,');
  });

  it('marks what may be told to everybody, below the words that the rest is for the sender alone', () => {
    const block = beside('Sum it up for both');
    expect(block).toContain('nobody but this sender is to be told of it, except for what is marked "for everybody"');
    expect(block).toMatch(/"We are closed on 24 December\." \(.*, for everybody/);
  });
});

it('an answer that lies in Drafts first is said to be read and sent by a person', async () => {
  const drafting = await openModelled(() => ({ text: 'Here you are.' }), {
    'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'in', imap }] },
    'personas/ada/persona.json': {
      name: 'Ada',
      address: ADA,
      access: { allow: [MEMBER] },
      reply: { mode: 'send', rules: [{ sender: MEMBER, mode: 'draft' }] },
    },
  });
  try {
    await drafting.office.ask('Hello.', MEMBER);
    await drafting.office.ask('Hello.', OWNER, 'Of an owner');
    const [ofMember, ofOwner] = drafting.model.requests.map(({ view }) => view.lastUser);
    expect(ofMember).toContain('Your final text is put into Drafts: a person reads it, may change it, and sends it.');
    expect(ofOwner).not.toContain('Drafts');
  } finally {
    await drafting.close();
  }
});
