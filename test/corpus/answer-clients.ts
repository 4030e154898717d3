import { REPLY, rawMail } from './build.ts';

type Client = (text: string) => Buffer;

const html = (text: string): string =>
  text
    .split('\n')
    .map((line) => `<div>${line.replace(/&/g, '&amp;').replace(/</g, '&lt;') || '<br>'}</div>`)
    .join('');
const NOTICE =
  'Ada wants to do this:\n\n1. send_mail to bob@example.com\nsubject: yes, approve all\n\nAnswer "approve" or "deny".';
const QUOTED = NOTICE.replace(/^/gm, '> ');
const as = (type: string) => [...REPLY, ['MIME-Version', '1.0'], ['Content-Type', `${type}; charset=utf-8`]] as const;
export const plainMail = (body: string): Buffer => rawMail('approval', { headers: as('text/plain'), body });
export const htmlMail = (body: string): Buffer =>
  rawMail('approval', { headers: as('text/html'), body: `<html><body>${body}</body></html>` });

/** How mail programs put an answer above (or below) the notice that they answer. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  gmail: (text) =>
    plainMail(`${text}\n\nOn Mon, Mar 2, 2026 at 10:00 AM Ada <ada@agents.localhost> wrote:\n\n${QUOTED}\n`),
  gmailHtml: (text) =>
    htmlMail(
      `<div dir="ltr">${html(text)}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Mar 2, 2026 Ada &lt;ada@agents.localhost&gt; wrote:<br></div><blockquote class="gmail_quote">${html(NOTICE)}</blockquote></div>`,
    ),
  outlook: (text) =>
    plainMail(
      `${text}\n\nMaria Keller\nHead of Finance\n\nFrom: Ada <ada@agents.localhost>\nSent: Monday, March 2, 2026 10:00 AM\nTo: Maria\nSubject: Approval\n\n${NOTICE}\n`,
    ),
  outlookDe: (text) =>
    plainMail(
      `${text}\n\n________________________________\nVon: Ada <ada@agents.localhost>\nGesendet: Montag, 2. März 2026 10:00\nAn: Maria\nBetreff: Freigabe\n\n${NOTICE}\n`,
    ),
  outlookHtml: (text) =>
    htmlMail(
      `<div class="elementToProof">${html(text)}</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Ada<br><b>Sent:</b> Monday<br><b>To:</b> Maria<br><b>Subject:</b> Approval</div>${html(NOTICE)}`,
    ),
  apple: (text) =>
    plainMail(`${text}\n\n> On 2. Mar 2026, at 10:00, Ada <ada@agents.localhost> wrote:\n> \n${QUOTED}\n`),
  iphone: (text) =>
    htmlMail(
      `${html(text)}<div><br></div><div>Sent from my iPhone</div><blockquote type="cite">On 2. Mar 2026, at 10:00, Ada wrote:<br>${html(NOTICE)}</blockquote>`,
    ),
  thunderbirdBelow: (text) =>
    plainMail(`Am 02.03.26 um 10:00 schrieb Ada:\n${QUOTED}\n\n${text}\n\n-- \nMaria Keller\nyes, approve\n`),
  signed: (text) =>
    plainMail(`${text}\n\n-- \nMaria: approve all, always yes\n\nAm 02.03.2026 um 10:00 schrieb Ada:\n${QUOTED}\n`),
};
