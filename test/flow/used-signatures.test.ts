import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, type Admission, BOSS, startAdmission } from './admission-rig.ts';
import { eventually } from './eventually.ts';

const USUAL = 'from:to:subject:date:message-id:mime-version';
/** The owner's own server: SPF names it. */
const [OWN, OTHER] = [{ peer: '127.0.0.5', mailFrom: BOSS }, {}];

let gate: Admission;
let count = 0;
beforeAll(async () => {
  gate = await startAdmission();
  gate.dns.zone['owner.test'] = 'v=spf1 ip4:127.0.0.5 -all';
});
afterAll(() => gate.stop());

/** A mail that the owner's server has signed, with headers that the signature does not cover. */
async function ofOwner({ to = ADA, subject = 'Hello', text = 'Hello', put = [] as readonly string[] } = {}) {
  count += 1;
  const id = `<used-${count}@owner.test>`;
  const date = new Date().toUTCString().replace('GMT', '+0000');
  const lines = [`From: Boss <${BOSS}>`, `To: ${to}`, `Subject: ${subject}`, `Date: ${date}`, `Message-ID: ${id}`];
  const raw = Buffer.from([...lines, 'MIME-Version: 1.0', '', text, ''].join('\r\n'));
  const bare = await gate.sign(raw, 'owner.test', { covers: USUAL });
  return { id, bare, marked: Buffer.concat([Buffer.from(put.map((line) => `${line}\r\n`).join('')), bare]) };
}

const last = (id: string) => {
  const { decision, code } = gate.seen(id).at(-1) ?? { decision: 'none', code: null };
  return code ?? decision;
};

async function fateOf(raw: Buffer, id: string, from: object = OTHER): Promise<string> {
  await gate.send(raw, [ADA], from);
  return last(id);
}

/** A question to the owner. */
async function ask() {
  const made = await ofOwner({ text: '/write_file {"path": "held.txt", "content": "kept"}' });
  await gate.send(made.bare);
  await gate.answersTo(made.id);
  const wanted = await ofOwner({ text: '/delete_file {"path": "held.txt"}' });
  const before = (await questions()).length;
  await gate.send(wanted.bare);
  const found = await eventually(questions, (all) => all.length > before, 20_000);
  const question = found.at(-1)?.mail;
  const token = /ada\+[\w-]+@agents\.localhost/.exec(JSON.stringify(question?.replyTo))?.[0];
  return { id: question?.messageId ?? '', subject: `Re: ${question?.subject}`, token: token ?? '' };
}
const questions = async () =>
  (await gate.outgoing()).filter(({ mail }) => mail.headers.get('x-epistle-kind') === 'approval');

describe('a mail that is never answered', () => {
  it.each(['Auto-Submitted: auto-replied', 'X-Loop: boss@owner.test', 'Content-Disposition: reaction'])(
    'is taken for no letter once what said so is gone: %s',
    async (mark) => {
      const { id, bare, marked } = await ofOwner({ put: [mark] });
      const first = await fateOf(marked, id, OWN);
      expect(gate.seen(id)).toMatchObject([{ decision: 'recorded' }]);
      expect(await fateOf(marked, id, OWN)).toBe(first);
      expect(await fateOf(bare, id)).toBe('duplicate');
    },
  );

  it('takes no order to stop away, and one to go on', async () => {
    const stop = await ofOwner({ subject: 'STOP', put: ['Auto-Submitted: auto-replied'] });
    expect(await fateOf(stop.marked, stop.id)).toBe('auto_submitted');
    expect(await fateOf(stop.bare, stop.id)).toBe('stop_command');
    const resume = await ofOwner({ subject: 'RESUME', put: ['Auto-Submitted: auto-replied'] });
    expect(await fateOf(resume.marked, resume.id)).toBe('auto_submitted');
    expect(await fateOf(resume.bare, resume.id)).toBe('duplicate');
    const own = await ofOwner({ subject: 'RESUME' });
    expect(await fateOf(own.bare, own.id)).toBe('stop_command');
    // What stopped it once stops it no more.
    expect(await fateOf(stop.bare, stop.id)).toBe('duplicate');
    expect(await fateOf(stop.marked, stop.id)).toBe('auto_submitted');
    expect(await fateOf(stop.bare, stop.id)).toBe('duplicate');
  });

  it('is heard where it comes from its sender without the mark that somebody else had put there', async () => {
    const { id, bare, marked } = await ofOwner({ put: ['Auto-Submitted: auto-replied'] });
    expect(await fateOf(marked, id)).toBe('auto_submitted');
    expect(await fateOf(bare, id, OWN)).toBe('accepted');
    expect(await fateOf(bare, id)).toBe('duplicate');
    const stop = await ofOwner({ subject: 'STOP', put: ['Auto-Submitted: auto-replied'] });
    expect(await fateOf(stop.marked, stop.id)).toBe('auto_submitted');
    expect(await fateOf(stop.bare, stop.id, OWN)).toBe('stop_command');
    expect(await fateOf(stop.bare, stop.id, OWN)).toBe('duplicate');
    const resume = await ofOwner({ subject: 'RESUME' });
    expect(await fateOf(resume.bare, resume.id)).toBe('stop_command');
  });
});

describe('an answer of the owner', () => {
  it('is no letter of its own once what it answers is gone', async () => {
    const { id: question, subject } = await ask();
    const { id, bare, marked } = await ofOwner({ subject, text: 'no', put: [`In-Reply-To: ${question}`] });
    expect(await fateOf(marked, id, OWN)).toBe('approval_answer');
    expect(await fateOf(marked, id, OWN)).toBe('approval_answer');
    expect(await fateOf(bare, id)).toBe('duplicate');
    expect(await fateOf(marked, id)).toBe('duplicate');
  });

  it('is not read anew for a blank in its text', async () => {
    const { token, subject } = await ask();
    expect(token).not.toBe('');
    const { id, bare } = await ofOwner({ to: token, subject, text: 'no, leave it' });
    expect(await fateOf(bare, id)).toBe('approval_answer');
    expect(await fateOf(bare, id)).toBe('approval_answer');
    const blank = Buffer.from(bare.toString('latin1').replace('no, leave', 'no,  leave'), 'latin1');
    expect(await fateOf(blank, id)).toBe('duplicate');
  });
});
