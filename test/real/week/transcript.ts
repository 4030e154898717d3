import type { ParsedMail } from 'mailparser';
import { localTime } from '../../../engine/lib/schedule/zone.ts';
import { type Office, PEOPLE, ZONE } from './office.ts';

const MAX_LINES = 14;

/** All mail of the week as the people saw it, in the order of its dates, as Markdown. */
export async function transcriptOf(office: Office): Promise<string> {
  const users = ['agents', ...Object.keys(PEOPLE)];
  const mails = (await Promise.all(users.map((user) => office.inbox(user)))).flat();
  return mails
    .toSorted((one, other) => (one.date?.getTime() ?? 0) - (other.date?.getTime() ?? 0))
    .map((mail) => shown(mail).replaceAll(office.root, '/srv/office'))
    .join('\n');
}

function shown(mail: ParsedMail): string {
  const at = localTime(ZONE, mail.date?.getTime() ?? 0);
  const day = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(
    new Date(`${at.slice(0, 10)}T12:00Z`),
  );
  const to = [mail.to ?? []].flat().map(({ text }) => text.replace(/\+ok-[^@]+@/, '+…@'));
  const lines = (mail.text ?? '')
    .replace(/^Reference: .*$/m, 'Reference: …')
    .trimEnd()
    .split('\n')
    .map((line) => (line.length > 400 ? `${line.slice(0, 400)} …` : line));
  const text =
    lines.length > MAX_LINES + 2 ? [...lines.slice(0, MAX_LINES), `… (${lines.length - MAX_LINES} more lines)`] : lines;
  return [
    `## ${day} ${at.slice(11, 16)}, ${mail.from?.text} to ${to.join(', ')}`,
    '',
    `**${mail.subject}**`,
    '',
    ...text.map((line) => `> ${line}`.trimEnd()),
    '',
  ].join('\n');
}
