import { simpleParser } from 'mailparser';

/** What a mail program takes out of a mail; tokens and ids, which differ each time, have names of their own. */
export async function partsOf(raw: Buffer): Promise<{ subject: string; text: string; html: string }> {
  const mail = await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true });
  const steady = (text: string) => text.replace(/[0-9a-f]{32}/g, 'TOKEN').replace(/[0-9a-f-]{36}/g, 'ID');
  return {
    subject: steady(mail.subject ?? ''),
    text: steady(mail.text ?? ''),
    html: steady(typeof mail.html === 'string' ? mail.html : ''),
  };
}
