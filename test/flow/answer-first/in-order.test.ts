import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, it } from 'vitest';
import { type Script, startSmtpPeer } from '../../fakes/smtp-peer.ts';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { BOB, mailCall, openAnswerFirst } from './rig.ts';

// A server puts the answer off, as those do that have not seen its sender before; the mail that follows it must not come first.

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function behind(script: Script) {
  const server = await startSmtpPeer(script);
  closing.push(() => server.stop());
  const account = { host: '127.0.0.1', tls: 'none', user: 'ada@agents.localhost', secret_env: 'PASSWORD' };
  const office = await openAnswerFirst({
    'configs/gateway.json': {
      domain: 'agents.localhost',
      smtp_listener: { port: 0 },
      mailboxes: [{ id: 'out', smtp: { ...account, port: server.port, auth: 'none' } }],
    },
    '.env': 'PASSWORD=right\n',
  });
  closing.push(() => office.close());
  const heard = async (to: string) =>
    Promise.all(server.mails.filter((mail) => mail.to.includes(to)).map(({ raw }) => simpleParser(raw)));
  const outbox = (messageId: string) => office.answersTo(messageId).map(({ purpose, state }) => `${purpose} ${state}`);
  return { ...office, heard, outbox, commands: server.commands };
}

describe('the mail that says what came of a call', () => {
  it.each([
    ['put off once', '451 4.7.1 greylisted'],
    ['cut off', 'drop'],
  ])('leaves behind the answer of its run, which was %s', async (_, act) => {
    const rcpt: Record<string, string> = { [MEMBER]: act };
    const office = await behind({ rcpt });
    const subject = `Offer ${act.slice(0, 3)}`;
    office.script(subject, [mailCall(subject)], 'It waits.');
    const messageId = await office.post({ from: MEMBER, subject, text: `Please see to it with ${BOB}: ${subject}` });
    await onceRecorded(office.root, () => {
      // An attempt was made, and it is put off.
      expect(office.commands.some((line) => line.toLowerCase().includes(`rcpt to:<${MEMBER}>`))).toBe(true);
      expect(office.outbox(messageId)).toEqual(['final queued']);
    });
    // From now on the server takes all.
    delete rcpt[MEMBER];
    const question = await onceRecorded(office.root, async () => {
      const [found] = await office.heard(OWNER);
      if (found === undefined) throw new Error('nobody was asked');
      return found;
    });
    await office.answer({ mail: question, envelopeTo: OWNER, envelopeFrom: '' } as never, 'yes');
    await onceRecorded(office.root, async () => {
      expect(await office.heard(BOB)).toHaveLength(1);
      expect(office.outbox(messageId)).toEqual(['final queued', 'follow_up queued']);
    });
    expect(await office.heard(MEMBER)).toEqual([]);
    const [final] = office.answersTo(messageId);
    await office.cli('outbox', 'retry', final?.id ?? '');
    await onceRecorded(office.root, () => {
      expect(office.outbox(messageId)).toEqual(['final sent', 'follow_up sent']);
    });
    const got = await office.heard(MEMBER);
    expect(got.map(({ text }) => [text?.includes('It waits.'), text?.includes('is done now')])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(got.map(({ inReplyTo }) => inReplyTo)).toEqual([messageId, messageId]);
  });

  it('control: leaves at once where the answer has', async () => {
    const office = await behind({});
    office.script('Offer now', [mailCall('Offer now')], 'It waits.');
    const messageId = await office.post({ from: MEMBER, subject: 'Offer now', text: `See to it with ${BOB}.` });
    await onceRecorded(office.root, () => expect(office.outbox(messageId)).toEqual(['final sent']));
    const question = await onceRecorded(office.root, async () => {
      const [found] = await office.heard(OWNER);
      if (found === undefined) throw new Error('nobody was asked');
      return found;
    });
    await office.answer({ mail: question, envelopeTo: OWNER, envelopeFrom: '' } as never, 'yes');
    await onceRecorded(office.root, () => expect(office.outbox(messageId)).toEqual(['final sent', 'follow_up sent']));
  });
});
