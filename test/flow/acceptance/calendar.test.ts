import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { invitationMail } from '../../engine/calendar/invitation-mail.ts';
import { OWNER, type Sent } from '../governance-rig.ts';
import { type Modelled, openModelled } from './office-with-model.ts';

const ADA = 'ada@personas.example';
const PRIYA = 'priya@raman.example';
const NOAH = 'noah.walsh@harbour.example';
const LENA = 'lena@ohara.example';
const JEAN = 'jean@moulin.example';
const PAUL = 'paul@moulin.example';
const JOERG = 'joerg@weiss.example';

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;

/** What is said to each mail, by a word of its subject. */
const ANSWERS: Readonly<Record<string, object>> = {
  'Pump order': { answer: 'accepted', comment: 'Gladly.' },
  Quarter: { answer: 'declined' },
  Chess: { answer: 'tentative' },
  Fair: { answer: 'accepted' },
  Uebergabe: { answer: 'accepted' },
  Again: { answer: 'accepted', comment: 'Gladly.' },
  Owner: { answer: 'declined' },
};

beforeAll(async () => {
  rig.made = await openModelled(
    (_, mail, results) => {
      const said = Object.entries(ANSWERS).find(([word]) => subjectOf(mail).startsWith(word))?.[1];
      const id = /invitation (inv_[0-9a-f]{12})/.exec(mail)?.[1];
      if (results.length > 0) return { text: `Done. ${results.at(-1)?.slice(0, 200)}` };
      if (mail.includes('find a time')) return { calls: [{ name: 'find_time', arguments: WINDOW }] };
      return said && id ? { calls: [{ name: 'answer_invitation', arguments: { id, ...said } }] } : { text: 'Noted.' };
    },
    {
      'configs/security.json': {
        owners: [OWNER],
        approvals: { batch_window_s: 0 },
        tool_policy: {
          tools: { answer_invitation: 'allow' },
          rules: [{ tool: 'answer_invitation', when: { answer: 'tentative' }, decision: 'approve' }],
        },
      },
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        owners: [OWNER],
        timezone: 'Europe/Berlin',
        access: {
          allow: ['*@raman.example', '*@harbour.example', '*@ohara.example', '*@moulin.example', '*@weiss.example'],
        },
      },
    },
  );
});
afterAll(() => rig.made?.close());

const WINDOW = { from: '2100-03-01', to: '2100-03-05', duration_min: 60 };

const subjectOf = (mail: string): string => /^Subject: "(.*)"$/m.exec(mail)?.[1] ?? '';

const invite = (file: string, from: string, subject: string) => {
  const id = `${file}-${subject.replace(/\W/g, '')}@test.example`;
  const raw = invitationMail({ file, from, to: ADA, subject, id });
  return made().office.post({ from, to: ADA, raw });
};

/** What the model was shown last of a mail with this subject. */
async function shown(subject: string): Promise<string> {
  return vi.waitFor(() => {
    const asked = made().model.requests.map(({ view }) => view.lastUser);
    const found = asked.findLast((text) => subjectOf(text) === subject);
    expect(found).toBeDefined();
    return found as string;
  }, 90_000);
}

const answersTo = async (to: string, subject: string): Promise<Sent[]> =>
  (await made().office.left('reply', to)).filter(({ mail }) => mail.subject === subject);

const answerTo = (to: string, subject: string): Promise<Sent> =>
  vi.waitFor(async () => {
    const [sent] = await answersTo(to, subject);
    expect(sent).toBeDefined();
    return sent as Sent;
  }, 90_000);

/** Strictly: the parser throws for a line that is none, and the type says what the text says. */
function replyIn({ mail }: Sent): ICAL.Component {
  const [part] = mail.attachments;
  expect(part?.contentType).toBe('text/calendar');
  const calendar = new ICAL.Component(ICAL.parse(part?.content.toString('utf8') ?? ''));
  expect(calendar.getFirstPropertyValue('method')).toBe('REPLY');
  return calendar.getFirstSubcomponent('vevent') as ICAL.Component;
}

/** The lines of a question, without the frame around what would be sent. */
const linesOf = ({ mail }: Sent): readonly string[] =>
  (mail.text ?? '').split('\n').map((line) => line.replace(/^ *\| /, ''));
/** An invitation goes by an id, which is nothing that an owner changes. */
const EDIT_ANSWER =
  'Just reply "yes" or "no" (and why, if you like). To change something, reply "edit 1" and below it lines such as "Answer: …".';

const attendeeOf = (event: ICAL.Component) => {
  const all = event.getAllProperties('attendee');
  expect(all).toHaveLength(1);
  return [all[0]?.getFirstValue(), all[0]?.getParameter('partstat'), all[0]?.getParameter('sent-by')];
};

describe('an invitation by mail', () => {
  it('is shown as facts and accepted, by an answer that calendars understand', async () => {
    await invite('google-request', PRIYA, 'Pump order');
    const sent = await answerTo(PRIYA, 'Accepted: Pump order, weekly review');
    const facts = await shown('Pump order');
    expect(facts).toMatch(/<invitation_[0-9a-f]{8}>\nAn invitation: "Pump order, weekly review"\n/);
    expect(facts).toContain(
      [
        'When (Europe/Berlin): 2026-03-04T05:00:00+01:00 to 2026-03-04T05:45:00+01:00',
        'There (Asia/Kolkata): 2026-03-04T09:30:00+05:30 to 2026-03-04T10:15:00+05:30',
        'Repeats: every week on Wednesday, 10 times',
      ].join('\n'),
    );
    const event = replyIn(sent);
    expect(event.getFirstPropertyValue('uid')).toBe('7kukuqrfedlm2f9t0vct1fdf6k@google.com');
    expect(event.getFirstPropertyValue('comment')).toBe('Gladly.');
    expect(attendeeOf(event)).toEqual([`mailto:${ADA}`, 'ACCEPTED', undefined]);
    expect(sent.mail.text).toContain('Ada has accepted the invitation.');
    expect(sent.mail.inReplyTo).toBe('<google-request-Pumporder@test.example>');
  });

  it('that changed says what was otherwise, and the same answer is not sent twice', async () => {
    await invite('google-update', PRIYA, 'Update');
    const facts = await shown('Update');
    expect(facts).toContain('Changed since it came before: the start was 2026-03-04T05:00:00+01:00;');
    expect(facts).toMatch(/Answered: ada@personas\.example accepted, 2\d{3}-/);
    await invite('google-request', PRIYA, 'Again');
    await vi.waitFor(() => expect(made().told()).toContain('a newer state of this invitation came: inv_'), 90_000);
    expect(await answersTo(PRIYA, 'Accepted: Pump order, weekly review')).toHaveLength(1);
  });

  it('that is cancelled cannot be answered', async () => {
    await invite('google-cancel', PRIYA, 'Pump order cancelled');
    expect(await shown('Pump order cancelled')).toContain('A cancellation: "Pump order, weekly review"');
    await vi.waitFor(() => expect(made().told()).toContain('this meeting was cancelled'), 90_000);
  });

  it.each([
    ['outlook-instance', NOAH, 'Quarter figures', 'Declined: Quarter figures', 'DECLINED'],
    ['thunderbird-request', JEAN, 'Fair', 'Accepted: Fair in Lyon', 'ACCEPTED'],
    ['nextcloud-request', JOERG, 'Uebergabe', 'Accepted: Übergabe', 'ACCEPTED'],
  ])('by the conventions of %s is answered', async (file, from, subject, answered, partstat) => {
    await invite(file, from, subject);
    const sent = await answerTo(from, answered);
    expect(attendeeOf(replyIn(sent)).slice(0, 2)).toEqual([`mailto:${ADA}`, partstat]);
  });

  it('waits for the owner where policy says so, who is shown what would be answered to whom', async () => {
    const { office } = made();
    await invite('apple-request', LENA, 'Chess');
    const asked = await office.arrival('approval', OWNER);
    const shown = linesOf(asked);
    expect(shown).toContain('May I accept this invitation with a "perhaps"?');
    expect(shown).toContain(`To: ${LENA}`);
    // The invitation names whom it invites by the address alone.
    expect(shown).toContain(`${ADA} has tentatively accepted the invitation.`);
    expect(shown).toContain(EDIT_ANSWER);
    expect(asked.mail.text).toContain('Chess in the park');
    expect(await answersTo(LENA, 'Tentative: Chess in the park ♟️')).toHaveLength(0);
    await office.answer(asked, 'yes');
    const sent = await answerTo(LENA, 'Tentative: Chess in the park ♟️');
    expect(attendeeOf(replyIn(sent)).slice(0, 2)).toEqual([`mailto:${ADA}`, 'TENTATIVE']);
  });

  it('goes to its organiser, whoever sent it on, once an owner has looked at who that is', async () => {
    const { office } = made();
    await invite('nextcloud-utc', OWNER, 'Owner');
    const asked = await office.arrival('approval', OWNER, 2);
    const shown = linesOf(asked);
    expect(shown).toContain('May I decline this invitation?');
    expect(shown).toContain(`To: ${JOERG}`);
    expect(shown).toContain(`Ada <${ADA}> has declined the invitation.`);
    expect(shown).toContain(EDIT_ANSWER);
    await office.answer(asked, 'yes');
    const sent = await answerTo(JOERG, 'Declined: Wartung der Server');
    expect(sent.mail.text).toContain('Ada has declined the invitation.');
  });
});

describe('an answer that comes back', () => {
  it('is recorded and answered by nobody; what a stranger writes in a name is not', async () => {
    const { office, model } = made();
    const before = model.requests.length;
    await invite('thunderbird-reply', PAUL, 'Declined by Paul');
    expect(await office.codeOf('<thunderbird-reply-DeclinedbyPaul@test.example>')).toBe('calendar_reply');
    await invite('thunderbird-reply', LENA, 'Declined for Paul');
    expect(model.requests).toHaveLength(before);
    await invite('thunderbird-update', JEAN, 'Moved');
    const facts = await shown('Moved');
    expect(facts).toContain('Answered: paul@moulin.example declined, 2026-03-06T08:00:00+01:00');
    expect(facts.match(/Answered: paul/g)).toHaveLength(1);
    expect(facts).toContain('the start was 2026-04-14; the place was "Eurexpo"');
  });
});

describe('time of the owner', () => {
  it('is looked for in the calendars that the owner put there, and not offered before', async () => {
    const { office, model } = made();
    const ask = (subject: string) => office.post({ to: ADA, subject, text: 'Please find a time for us.' });
    await ask('Meet');
    await shown('Meet');
    expect(model.requests.at(-1)?.view.tools).not.toContain('find_time');
    office.workspace.write(
      'personas/ada/calendars/work.ics',
      [
        ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', 'DTSTART;TZID=Europe/Berlin:20260105T090000'],
        ...[
          'DTEND;TZID=Europe/Berlin:20260105T153000',
          'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE',
          'END:VEVENT',
          'END:VCALENDAR',
        ],
      ].join('\r\n'),
    );
    await ask('Meet again');
    await vi.waitFor(() => expect(made().told()).toContain('"start":"2100-03-01T15:30:00+01:00"'), 90_000);
  });
});
