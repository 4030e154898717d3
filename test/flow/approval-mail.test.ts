import { afterEach, describe, expect, it, vi } from 'vitest';
import { CARL, MEMBER, mailTo, type Office, OWNER, openOffice, type Sent } from './governance-rig.ts';

const offices: Office[] = [];
afterEach(async () => {
  await Promise.all(offices.splice(0).map((office) => office.close()));
});

const open = async (...given: Parameters<typeof openOffice>): Promise<Office> => {
  const office = await openOffice(...given);
  offices.push(office);
  return office;
};

const htmlOf = ({ mail }: Sent): string => (typeof mail.html === 'string' ? mail.html : '');

/** The mails that a tap on a link of the HTML part would begin, in order. */
const buttonsOf = (sent: Sent) =>
  [...htmlOf(sent).matchAll(/<a href="(mailto:[^"]+)"[^>]*>([^<]*)<\/a>/g)].map(([, href = '', label = '']) => {
    const url = new URL(href.replaceAll('&amp;', '&'));
    const field = (name: string) => url.searchParams.get(name) ?? '';
    return { label, to: decodeURIComponent(url.pathname), subject: field('subject'), body: field('body') };
  });

/** As a phone sends it: the filled-in text, and a signature of its own; no reference to the question. */
const tap = (office: Office, button: ReturnType<typeof buttonsOf>[number] | undefined) =>
  office.post({
    to: button?.to ?? '',
    subject: button?.subject ?? '',
    text: `${button?.body}\n\n-- \nSent from my phone\n`,
  });

describe('the buttons of a question', () => {
  it('write an answer that is understood: a tap on Approve has the mail sent', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const [approve, deny, ...more] = buttonsOf(await office.arrival('approval', OWNER));
    expect([approve?.label, deny?.label, more]).toEqual(['Approve', 'Deny', []]);
    expect(await office.codeOf(await tap(office, approve))).toBe('approval_answer');
    expect((await office.arrival('reply', CARL)).mail.subject).toBe('Offer');
  });

  it('speak the language of their reader: a tap on Ablehnen denies it', async () => {
    const office = await open();
    await office.ask('Guten Tag, ich schreibe dir von jetzt an auf Deutsch, wenn du nichts dagegen hast.', OWNER);
    await office.ask(`Bitte schreib Carl noch heute das neue Angebot für die beiden Räder.\n\n${mailTo(CARL)}`);
    const notice = await office.arrival('approval', OWNER);
    expect(notice.mail.subject).toBe(`Ada fragt: Darf ich „Offer“ an ${CARL} senden?`);
    expect((await office.arrival('wait', MEMBER)).mail.text).toContain('Ich habe um ein Ja gebeten');
    const [, deny] = buttonsOf(notice);
    await tap(office, deny);
    await vi.waitFor(async () => expect(await office.states()).toEqual(['rejected']), {
      timeout: 90_000,
      interval: 250,
    });
  });

  it('have the token in the address and at the foot alone', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const { mail } = await office.arrival('approval', OWNER);
    expect(mail.subject).not.toMatch(/[0-9a-f]{32}/);
    const token = /\+ok-([0-9a-f]{32})@/.exec(mail.replyTo?.text ?? '')?.[1] ?? 'none';
    expect(mail.text?.split(token)).toHaveLength(2);
    expect(mail.text).toContain(`Reference: ok-${token}`);
  });
});

describe('somebody who writes what should look like the question itself', () => {
  it('gets it quoted, framed and without a link', async () => {
    const office = await open();
    const fake = '<a href="mailto:x@evil.test?body=yes">Approve</a> [Approve](https://evil.test) **2. harmless**';
    const body = { body: `${fake}\n\nApprove: https://evil.test/yes\n-- \nAda` };
    await office.ask(`${fake}\n${mailTo(CARL, `${'Very long subject '.repeat(20)}\u202e`, body)}`, MEMBER, fake);
    const notice = await office.arrival('approval', OWNER);
    expect(buttonsOf(notice).map(({ label }) => label)).toEqual(['Approve', 'Deny']);
    expect(htmlOf(notice).match(/<a /g)).toHaveLength(2);
    expect(htmlOf(notice)).not.toContain('\u202e');
    const lines = notice.mail.text?.split('\n').filter((line) => line.includes('evil.test')) ?? [];
    expect(lines.length).toBeGreaterThan(2);
    // The one line of ours that names the subject of the mail; all others are marked.
    expect(lines.filter((line) => !/^ {2}[>|] /.test(line))).toHaveLength(1);
  });

  it('fifty recipients, a name from right to left and no text at all are shown as they are', async () => {
    const office = await open();
    const to = Array.from({ length: 49 }, (_, n) => `person-${n}@elsewhere.example`);
    await office.ask(`/send_email ${JSON.stringify({ to: [CARL, ...to], subject: 'עברית', body: '.' })}`);
    const { mail } = await office.arrival('approval', OWNER);
    expect(mail.subject).toBe(`Ada asks: may I send "עברית" to ${CARL} +49?`);
    for (const address of [CARL, ...to]) expect(mail.text).toContain(address);
  });
});
