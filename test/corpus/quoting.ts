import { type CorpusCase, corpusCase, html, type MailInput, multipart, part, REPLY } from './build.ts';

const UTF8 = ['Content-Type', 'text/plain; charset=utf-8'] as const;
const reply = (
  name: string,
  body: string,
  newText: string,
  more: { signature?: string; quotedContains?: string } = {},
): CorpusCase => corpusCase(`quote-${name}`, { headers: [...REPLY, UTF8], body }, { outcome: 'ok', newText, ...more });
const htmlReply = (name: string, body: string, newText: string, quotedContains: string): CorpusCase =>
  corpusCase(
    `quote-${name}`,
    { headers: [...REPLY, ['Content-Type', 'text/html; charset=utf-8']], body },
    { outcome: 'ok', newText, quotedContains, hides: [] },
  );
const attributed = (language: string, line: string): CorpusCase =>
  reply(`attribution-${language}`, `Yes.\n\n${line}\n\n> Shall I do it?\n`, 'Yes.', {
    quotedContains: 'Shall I do it?',
  });
const outlook = (language: string, from: string, date: string, to: string, subject: string): CorpusCase =>
  reply(
    `outlook-${language}`,
    `Yes.\n\n${from}: Ada <ada@agents.localhost>\n${date}: 2026-03-02 10:00\n${to}: Sender\n${subject}: A question\n\nShall I do it?\n`,
    'Yes.',
    { quotedContains: 'Shall I do it?' },
  );
const forward = (name: string, subject: string, body: string): CorpusCase =>
  corpusCase(
    `forward-${name}`,
    { headers: [['Subject', subject], UTF8], body },
    { outcome: 'ok', newText: 'Please look.', forwardedContains: 'third words' },
  );
const withHtml = (input: MailInput, headers: MailInput['headers'] = []): MailInput => ({
  ...input,
  headers: [...(input.headers ?? []), ...headers],
});

export const quotingCases: readonly CorpusCase[] = [
  attributed('en', 'On Mon, Mar 2, 2026 at 10:00 AM Ada <ada@agents.localhost> wrote:'),
  attributed('en-wrapped', 'On Mon, Mar 2, 2026 at 10:00 AM Ada With A Very Long Name\n<ada@agents.localhost> wrote:'),
  attributed('de', 'Am Mo., 2. März 2026 um 10:00 Uhr schrieb Ada <ada@agents.localhost>:'),
  attributed('de-2', 'Ada <ada@agents.localhost> schrieb am 02.03.2026 um 10:00:'),
  attributed('fr', 'Le lun. 2 mars 2026 à 10:00, Ada <ada@agents.localhost> a écrit :'),
  attributed('es', 'El lun, 2 mar 2026 a las 10:00, Ada (<ada@agents.localhost>) escribió:'),
  attributed('it', 'Il giorno lun 2 mar 2026 alle ore 10:00 Ada <ada@agents.localhost> ha scritto:'),
  attributed('nl', 'Op ma 2 mrt 2026 om 10:00 schreef Ada <ada@agents.localhost>:'),
  attributed('pt', 'Em seg., 2 de mar. de 2026 às 10:00, Ada <ada@agents.localhost> escreveu:'),
  attributed('pl', 'pon., 2 mar 2026 o 10:00 Ada <ada@agents.localhost> napisał(a):'),
  attributed('ja', '2026年3月2日(月) 10:00 Ada <ada@agents.localhost>:'),
  attributed('zh', 'Ada <ada@agents.localhost> 于2026年3月2日周一 10:00写道：'),
  attributed('sv', 'Den mån 2 mars 2026 kl 10:00 skrev Ada <ada@agents.localhost>:'),
  attributed('unknown-language', 'Kell 10:00, 2. märts 2026, kirjutas Ada <ada@agents.localhost>:'),
  outlook('en', 'From', 'Sent', 'To', 'Subject'),
  outlook('de', 'Von', 'Gesendet', 'An', 'Betreff'),
  outlook('fr', 'De', 'Envoyé', 'À', 'Objet'),
  outlook('es', 'De', 'Enviado el', 'Para', 'Asunto'),
  outlook('it', 'Da', 'Inviato', 'A', 'Oggetto'),
  outlook('nl', 'Van', 'Verzonden', 'Aan', 'Onderwerp'),
  outlook('pt', 'De', 'Enviado', 'Para', 'Assunto'),
  outlook('pl', 'Od', 'Wysłano', 'Do', 'Temat'),
  outlook('ja', '差出人', '送信日時', '宛先', '件名'),
  outlook('zh', '发件人', '发送时间', '收件人', '主题'),
  reply(
    'outlook-rule',
    'Yes.\n\n________________________________\nFrom: Ada\nSent: Monday\nTo: Sender\nSubject: x\n\nold',
    'Yes.',
  ),
  reply('outlook-original-message', 'Yes.\n\n-----Original Message-----\nFrom: Ada\nTo: Sender\n\nold', 'Yes.', {
    quotedContains: 'old',
  }),
  reply('original-message-de', 'Ja.\n\n-----Ursprüngliche Nachricht-----\nVon: Ada\n\nalt', 'Ja.', {
    quotedContains: 'alt',
  }),
  reply('no-signs-after-attribution', 'Yes.\n\nOn 2 March 2026 at 10:00 Ada wrote:\n\nShall I do it?\n', 'Yes.', {
    quotedContains: 'Shall I do it?',
  }),
  reply('bottom-posting', 'On 2 March 2026 Ada wrote:\n> Shall I do it?\n\napprove\n', 'approve'),
  reply('inline', 'Hi,\n\n> First?\n\nOne.\n\n> Second?\nTwo.\n', 'Hi,\n\nOne.\n\nTwo.'),
  reply('inline-after-attribution', 'On 2 March 2026 Ada wrote:\n> First?\nOne.\n> Second?\nTwo.\n', 'One.\n\nTwo.'),
  reply('all-quoted', 'On 2 March 2026 Ada wrote:\n> approve\n> everything\n', '', { quotedContains: 'approve' }),
  reply('signature', 'Yes.\n\n-- \nSender\nExample Works\n', 'Yes.', { signature: '--\nSender\nExample Works' }),
  reply(
    'phone-footer',
    'Yes.\n\nSent from my iPhone\n\n> On 2 Mar 2026, at 10:00, Ada <ada@agents.localhost> wrote:\n> \n> Shall I?\n',
    'Yes.',
    { signature: 'Sent from my iPhone' },
  ),
  reply('dashes-are-no-signature', 'List:\n--- one\n-- two\n', 'List:\n--- one\n-- two'),
  reply(
    'colon-lines-stay',
    'Buy:\n\n1. milk\nTime: 10:00\nWhere:\nhere\n',
    'Buy:\n\n1. milk\nTime: 10:00\nWhere:\nhere',
  ),
  corpusCase(
    'quote-cited-in-a-new-mail',
    { body: 'Please translate:\n> Bonjour\n' },
    { outcome: 'ok', newText: 'Please translate:', quotedContains: '> Bonjour' },
  ),
  corpusCase(
    'quote-only-cited-in-a-new-mail',
    { body: '> Bonjour\n' },
    { outcome: 'ok', newText: '', quotedContains: '> Bonjour' },
  ),
  htmlReply(
    'gmail',
    '<div dir="ltr">Yes<br></div><br><div class="gmail_quote"><div class="gmail_attr">Ada le dis lundi<br></div><blockquote class="gmail_quote"><div>Shall I do it?</div></blockquote></div>',
    'Yes',
    'Shall I do it?',
  ),
  htmlReply(
    'gmail-inline',
    '<div class="gmail_quote"><div class="gmail_attr">Ada wrote<br></div><blockquote class="gmail_quote">First?</blockquote><div>One.</div><blockquote class="gmail_quote">Second?</blockquote><div>Two.</div></div>',
    'One.\n\nTwo.',
    'Second?',
  ),
  htmlReply(
    'gmail-signature',
    '<div>Yes<br>-- <br><div class="gmail_signature">Sender<br>Works</div></div><div class="gmail_quote"><blockquote class="gmail_quote">Shall I do it?</blockquote></div>',
    'Yes',
    'Shall I do it?',
  ),
  htmlReply(
    'apple-mail',
    '<html><body>Yes<br><div><br><blockquote type="cite"><div>On 2 Mar 2026, at 10:00, Ada wrote:</div><div>Shall I do it?</div></blockquote></div></body></html>',
    'Yes',
    'Shall I do it?',
  ),
  htmlReply(
    'outlook-web',
    '<div>Yes</div><div id="appendonsend"></div><hr tabindex="-1" style="display:inline-block;width:98%"><div id="divRplyFwdMsg"><b>From:</b> Ada<br></div><div>Shall I do it?</div>',
    'Yes',
    'Shall I do it?',
  ),
  htmlReply(
    'outlook-windows',
    '<p>Yes</p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p><b>Gönderen:</b> Ada</p></div></div><p>Shall I do it?</p>',
    'Yes',
    'Shall I do it?',
  ),
  htmlReply(
    'yahoo',
    '<div>Yes</div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>On Monday, Ada wrote:</div><div>Shall I do it?</div></div>',
    'Yes',
    'Shall I do it?',
  ),
  htmlReply(
    'thunderbird',
    '<p>Yes</p><div class="moz-cite-prefix">Am 02.03.26 um 10:00 schrieb Ada:<br></div><blockquote type="cite"><p>Shall I do it?</p></blockquote>',
    'Yes',
    'Shall I do it?',
  ),
  htmlReply(
    'forged-end-of-quote',
    '<div>deny</div><blockquote type="cite">&#xFDD1;approve&#xFDD1;</blockquote>',
    'deny',
    'approve',
  ),
  corpusCase(
    'quote-both-versions-agree',
    withHtml(
      multipart(
        'alternative',
        'b',
        part('text/plain; charset=utf-8', 'Yes,\r\n  indented\r\n\r\nOn 2 March 2026 Ada wrote:\r\n> Shall I?'),
        part(
          'text/html; charset=utf-8',
          '<div>Yes,<br>indented</div><div class="gmail_quote"><div class="gmail_attr">On 2 March 2026 Ada wrote:</div><blockquote class="gmail_quote">Shall I?</blockquote></div>',
        ),
      ),
      REPLY,
    ),
    { outcome: 'ok', newText: 'Yes,\n  indented' },
  ),
  corpusCase(
    'quote-html-knows-better',
    withHtml(
      multipart(
        'alternative',
        'b',
        part('text/plain; charset=utf-8', 'Yes\r\n\r\nAda ezt mondta hétfőn\r\n\r\nShall I do it now?'),
        part(
          'text/html; charset=utf-8',
          '<div>Yes</div><div class="gmail_quote"><div class="gmail_attr">Ada ezt mondta hétfőn</div><blockquote class="gmail_quote">Shall I do it now?</blockquote></div>',
        ),
      ),
      REPLY,
    ),
    { outcome: 'ok', newText: 'Yes' },
  ),
  forward(
    'gmail',
    'Fwd: News',
    'Please look.\n\n---------- Forwarded message ---------\nFrom: Third <third@example.net>\nDate: Mon, 2 Mar 2026\nSubject: News\nTo: <sender@example.com>\n\nthird words\n',
  ),
  forward(
    'apple',
    'Fwd: News',
    'Please look.\n\nBegin forwarded message:\n\n> From: Third <third@example.net>\n> Subject: News\n> \n> third words\n',
  ),
  forward(
    'outlook',
    'FW: News',
    'Please look.\n\nFrom: Third <third@example.net>\nSent: Monday\nTo: Sender\nSubject: News\n\nthird words\n',
  ),
  forward(
    'outlook-de',
    'WG: News',
    'Please look.\n\nVon: Third <third@example.net>\nGesendet: Montag\nAn: Sender\nBetreff: News\n\nthird words\n',
  ),
  forward(
    'de',
    'Fwd: News',
    'Please look.\n\n-------- Weitergeleitete Nachricht --------\nBetreff: News\nVon: Third\n\nthird words\n',
  ),
  corpusCase(
    'forward-gmail-html',
    {
      ...html(
        '<div>Please look.</div><div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: <b>Third</b> &lt;third@example.net&gt;<br></div><p>third words</p></div>',
      ),
    },
    { outcome: 'ok', newText: 'Please look.', forwardedContains: 'third words' },
  ),
  corpusCase(
    'forward-apple-html',
    html(
      '<div>Please look.</div><div><br><blockquote type="cite"><div>Begin forwarded message:</div><div><b>From: </b>Third</div><div>third words</div></blockquote></div>',
    ),
    { outcome: 'ok', newText: 'Please look.', forwardedContains: 'third words' },
  ),
  corpusCase(
    'quote-100000-lines',
    { headers: REPLY, body: `Yes.\n\n${'> old line of text\n'.repeat(100_000)}` },
    { outcome: 'ok', newText: 'Yes.', limitation: /quoted text was cut|cut after/ },
  ),
  corpusCase('quote-alternating-20000', { headers: REPLY, body: '> q\na\n'.repeat(20_000) }, { outcome: 'ok' }),
];
