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
    expect((await office.arrival('wait', MEMBER)).mail.text).toContain(
      'Ich habe die zuständige Person um ihr Einverständnis gebeten',
    );
    const [, deny] = buttonsOf(notice);
    await tap(office, deny);
    await vi.waitFor(async () => expect(await office.states()).toEqual(['rejected']), {
      timeout: 90_000,
      interval: 250,
    });
  });

  it('stand below the question, and above what exactly would be done', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const html = htmlOf(await office.arrival('approval', OWNER));
    const places = [
      'May I send',
      'mailto:',
      'asked me',
      'To do that I would send this mail',
      'never written to',
      'The buttons open',
    ];
    const found = places.map((each) => html.indexOf(each));
    expect(found.every((at) => at > 0)).toBe(true);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
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

describe('an owner who answers a question', () => {
  it('changes something by the name that the mail shows, in the own language', async () => {
    const office = await open();
    await office.ask('Guten Tag, ich schreibe dir von jetzt an auf Deutsch, wenn du nichts dagegen hast.', OWNER);
    await office.ask(mailTo(CARL));
    const asked = await office.arrival('approval', OWNER);
    expect(asked.mail.text).toContain('„bearbeiten 1“');
    expect(asked.mail.text).toContain('„Betreff: Hallo“');
    await office.answer(asked, 'bearbeiten 1\nBetreff: Neues Angebot');
    const again = await office.arrival('approval', OWNER, 2);
    expect(again.mail.subject).toContain('„Neues Angebot“');
    await office.answer(again, 'ja');
    expect((await office.arrival('reply', CARL)).mail.subject).toBe('Neues Angebot');
  });

  it('and asks what is in a file that would be gone, is shown how it begins, and nothing is done', async () => {
    const office = await open();
    const content = 'Prices of 2019\n\nMini 1,990\nLasta 2,490\nMaxi 3,990\n';
    await office.ask(`/write_file ${JSON.stringify({ path: 'old.txt', content })}`, OWNER);
    await office.ask('/delete_file {"path":"old.txt"}');
    const asked = await office.arrival('approval', OWNER);
    expect(asked.mail.subject).toBe('Ada asks: may I delete old.txt?');
    await office.answer(asked, 'Hmm, what is in it?');
    const { mail } = await office.arrival('clarify', OWNER);
    expect(mail.text).toContain('Your answer asks something.');
    expect(mail.text).toMatch(/Prices of 2019[\s\S]*Mini 1,990[\s\S]*Lasta 2,490/);
    expect(mail.text).not.toContain('Maxi');
    expect(await office.states()).toEqual(['pending']);
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
