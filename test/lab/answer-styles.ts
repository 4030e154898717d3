import type { ParsedMail } from 'mailparser';
import { DOMAIN, idOf, OWNER } from './site.ts';

/** What a mail program knows of the mail that is answered with it. */
type Notice = Pick<ParsedMail, 'subject' | 'messageId' | 'references' | 'text' | 'html' | 'from' | 'replyTo' | 'date'>;

interface Written {
  readonly type: string;
  readonly body: string;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>\n');
/** When the notice was written, as programs say it in English. */
const on = ({ date }: Notice, options: Intl.DateTimeFormatOptions, locale = 'en-US'): string =>
  new Intl.DateTimeFormat(locale, { timeZone: 'UTC', year: 'numeric', day: 'numeric', ...options }).format(date);
const clock = ({ date }: Notice, hour12: boolean): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', hour: 'numeric', minute: '2-digit', hour12 })
    .format(date)
    .replace('\u202f', ' ');
const quoted = (text: string): string => text.replace(/^/gm, '> ');
const alternative = (plain: string, html: string): Written => ({
  type: 'multipart/alternative; boundary="two"',
  body: [
    '--two',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    plain,
    '--two',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    html,
    '--two--',
    '',
  ].join('\n'),
});

/** How mail programs of different makers write the same answer above the whole notice, which says "approve" and "deny" itself. */
export const STYLES: Readonly<Record<string, (answer: string, notice: Notice) => Written>> = {
  'Gmail in a browser': (answer, notice) => {
    const { text = '', html, from } = notice;
    const day = on(notice, { weekday: 'short', month: 'short' });
    const line = `On ${day} at ${clock(notice, true)} ${from?.text ?? ''} wrote:`;
    return alternative(
      `${answer}\n\n${line}\n\n${quoted(text)}\n`,
      `<div dir="ltr">${answer}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${escaped(line)}<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex">${html || escaped(text)}</blockquote></div>`,
    );
  },
  'Outlook on Windows': (answer, notice) => {
    const { text = '', html, from, subject = '' } = notice;
    const sent = `${on(notice, { weekday: 'long', month: 'long' })} ${clock(notice, true)}`;
    const body = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal {margin:0cm;} --></style></head><body lang=EN-GB><div class=WordSection1><p class=MsoNormal>${answer}<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal><b>From:</b> ${escaped(from?.text ?? '')} <br><b>Sent:</b> ${sent}<br><b>To:</b> ${OWNER}<br><b>Subject:</b> ${escaped(subject)}<o:p></o:p></p></div></div>${html || escaped(text)}</div></body></html>`;
    return { type: 'text/html; charset=utf-8', body };
  },
  'Apple Mail': (answer, notice) => ({
    type: 'text/plain; charset=utf-8',
    body: `${answer}\n\n> On ${on(notice, { month: 'short' }, 'en-GB')}, at ${clock(notice, false)}, ${notice.from?.text ?? ''} wrote:\n> \n${quoted(notice.text ?? '')}\n`,
  }),
};

/** The owner's answer as it leaves that program: to Reply-To, below the notice in the thread. */
export function answerLetter(style: string, id: string, answer: string, notice: Notice): { raw: string; to: string } {
  const to = notice.replyTo?.value[0]?.address ?? `agents@${DOMAIN}`;
  const { type, body } = STYLES[style]?.(answer, notice) ?? { type: 'text/plain', body: answer };
  const references = [notice.references ?? [], notice.messageId ?? ''].flat().join(' ');
  const raw = [
    `Message-ID: ${idOf(id)}`,
    `Date: ${new Date().toUTCString()}`,
    `From: The Boss <${OWNER}>`,
    `To: ${to}`,
    `Subject: Re: ${notice.subject ?? ''}`,
    `In-Reply-To: ${notice.messageId ?? ''}`,
    `References: ${references}`,
    'MIME-Version: 1.0',
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: 8bit',
    '',
    body.replaceAll('\n', '\r\n'),
    '',
  ].join('\r\n');
  return { raw, to };
}
