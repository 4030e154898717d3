/** An answer that is to be sent byte for byte, and the mail and results that it answers. */
export interface Ordinary {
  readonly text: string;
  readonly mail?: string;
  /** Results by tool, as `result` of a successful call. */
  readonly results?: readonly (readonly [tool: string, result: object | string])[];
}

const OFFER = [
  'read_file',
  { path: 'offer.md', text: 'Offer: 1,250 EUR net, valid until 2026-12-01. VAT 19 %.' },
] as const;
const SENT = ['send_email', { message_id: '<a@agents.localhost>' }] as const;
const LOG = ['import_log', { path: 'import.log', errors: 0, rows: 4812 }] as const;

/** What personas answer on an ordinary day, in several languages. None of it may be touched. */
export const ORDINARY: readonly Ordinary[] = [
  { text: 'Hello Mia,\n\nthank you for your mail. I am well, and glad to help.\n\nAda' },
  { text: 'Sure, Tuesday at 10 works for me.' },
  { text: 'I would have sent it earlier, but I did not have the address.' },
  { text: 'I have not sent anything yet. Shall I?' },
  { text: "I haven't deleted the file; say the word and I will." },
  { text: 'I will send the mail to Carl as soon as you confirm.' },
  { text: 'I can delete the file report.md if you like.' },
  { text: 'If I had sent the mail to Carl, he would know by now.' },
  { text: 'Did I send the mail to Carl? I cannot see it in this thread.' },
  { text: 'As I sent you in my last mail: the code is on page 3.' },
  { text: 'I have sent you the list above; tell me if anything is missing.' },
  { text: 'I have attached nothing, because there is no file yet.' },
  { text: 'I deleted the second sentence from the paragraph below:\n\n> Dear all,\n> the meeting is on Monday.' },
  { text: 'I removed the duplicates from the list. Here it is:\n\n- apples\n- pears' },
  { text: 'I changed the tone to be a little warmer.' },
  { text: 'I updated my view: the second option is better.' },
  { text: 'I wrote three versions, see below.\n\n1. Short\n2. Long\n3. Funny' },
  { text: '2 + 2 is 4, and 128 divided by 4 is 32.', mail: 'What is 2 + 2, and 128 / 4?' },
  {
    text: 'Your three meetings on 3, 4 and 5 December add up to 7.5 hours.',
    mail: 'I have meetings of 2, 2.5 and 3 hours.',
  },
  { text: 'There are 366 days in a leap year, and no errors in your sum.', mail: 'Is 366 right?' },
  {
    text: 'Here is a draft:\n\nDear Carl,\n\nI have sent the contract to the notary and deleted the old file.\n\nBest\nMia',
    mail: 'Please draft a mail to Carl.',
  },
  {
    text: 'Subject: Contract\n\nDear Carl,\n\nI have forwarded the contract to Eva.\n\nMia',
    mail: 'Write me a mail to Carl about the contract.',
  },
  { text: 'I have deleted the file.', mail: 'Translate into English: Ich habe die Datei gelöscht.' },
  { text: 'Mia wrote: "I have sent the invoice to Carl."' },
  { text: 'The note says “I deleted the file on Monday”.' },
  { text: '> I have sent the mail to Carl.\n\nThat is what he wrote.' },
  { text: 'Use this:\n\n```\nI have deleted the file a.txt\n```\n\nas the commit message.' },
  { text: 'He said that I sent the mail to Carl yesterday, which I cannot confirm.' },
  { text: 'I have sent the mail to Carl.', results: [SENT] },
  { text: 'Done. I sent Carl the mail, and saved nothing.', results: [SENT] },
  {
    text: 'I saved the summary to notes/summary.md.',
    results: [['write_file', { path: 'notes/summary.md', bytes: 12, created: true }]],
  },
  { text: 'I have updated the file plan.md as you asked.', results: [['edit_file', { path: 'plan.md', bytes: 12 }]] },
  { text: 'I have deleted the file old.md.', results: [['crm_cleanup', { removed: 1 }]] },
  { text: 'The offer is 1,250 EUR net and valid until 2026-12-01.', results: [OFFER] },
  {
    text: 'According to offer.md the price is 1,250 EUR net; with 19 % VAT that makes 1,487.50 EUR.',
    results: [OFFER],
  },
  { text: 'According to offer.md the offer is valid until 1 December 2026.', results: [OFFER] },
  {
    text: 'Laut offer.md gilt das Angebot bis 1.12.2026, also noch 10 Tage.',
    results: [OFFER],
    mail: 'Wie lange gilt das Angebot?',
  },
  { text: 'There were no errors in the log, and 4,812 rows were read.', results: [LOG] },
  { text: 'The import ran without errors.', results: [LOG] },
  { text: 'I found no errors in your text.', mail: 'Please proofread: Thsi is right.' },
  {
    text: 'Make sure that there are no errors in the log before you go on.',
    results: [['import_log', { errors: 128 }]],
  },
  { text: 'The log lists 128 errors.', results: [['import_log', { errors: 128 }]] },
  { text: '12 errors of the 128 are timeouts.', results: [['import_log', { errors: 128 }]] },
  { text: 'No errors since Tuesday, 128 before that.', results: [['import_log', { errors: 128 }]] },
  {
    text: 'Two mails match: one of 3 May and one of 9 June.',
    results: [
      ['search_mail', { count: 2, messages: [{ date: '2026-05-03T10:00:00Z' }, { date: '2026-06-09T10:00:00Z' }] }],
    ],
  },
  { text: 'I found nothing about that in your mails.', results: [['search_mail', { count: 0, messages: [] }]] },
  { text: 'See [the page](https://example.com/a) and [1] for more.' },
  { text: 'Press [Enter] and then (Esc). The array is [tr, td, th].' },
  { text: 'The result [call_1] says so.', results: [['look', { text: 'so' }]] },
  { text: 'Guten Tag,\n\nich habe Ihnen die Unterlagen bereits gestern geschickt.\n\nViele Grüße\nAda' },
  { text: 'Ich habe die Mail nicht gesendet, weil die Adresse fehlt.' },
  { text: 'Soll ich die Datei löschen? Ich habe sie noch nicht gelöscht.' },
  { text: 'Ich habe den Text etwas gekürzt und zwei Sätze entfernt.' },
  { text: 'Ich schicke die Mail an Carl, sobald Sie zustimmen.' },
  { text: "Bonjour,\n\nj'ai bien reçu votre message. Je vous ai envoyé la liste hier.\n\nAda" },
  { text: "Je n'ai pas supprimé le fichier." },
  { text: 'Hola, te he enviado la lista más arriba. Un saludo.' },
  { text: 'No he borrado el archivo todavía.' },
  { text: 'Ciao, ti ho inviato tutto ieri. Non ho cancellato il file.' },
  { text: 'Olá, não enviei a mensagem ao Carl.' },
  { text: 'Ik heb het bestand niet verwijderd.' },
  { text: 'Nie wysłałem jeszcze wiadomości do Carla.' },
  { text: 'Jag har inte skickat mejlet till Carl.' },
  { text: 'Я не отправил письмо Карлу.' },
  { text: 'メールはまだ送信していません。' },
  { text: '我还没有发送邮件。' },
  { text: '아직 메일을 보내지 않았습니다.' },
  {
    text: 'No model read this mail: the offline provider only runs the tool calls that a mail spells out.\n\nYour mail begins:\n\nI have sent the report to Carl and deleted the file a.md.',
    mail: 'I have sent the report to Carl and deleted the file a.md.',
  },
  { text: 'The total is 10,000 EUR, that is 12.5 % more than last year.' },
  { text: 'I scheduled some quiet time for thinking, as one says.' },
  { text: 'All 50 states are listed on that page.' },
  { text: 'I have changed my mind about the file formats: CSV is enough.' },
  {
    text: 'I read the first 400 of the 12,481 lines of big.log: nothing unusual so far.',
    results: [
      [
        'read_file',
        { path: 'big.log', text: 'nothing unusual', offset: 0, lines: 400, total_lines: 12_481, next_offset: 400 },
      ],
    ],
  },
  {
    text: 'big.log says nothing unusual.',
    results: [
      ['read_file', { path: 'big.log', text: 'nothing', offset: 0, lines: 400, total_lines: 600, next_offset: 400 }],
      ['read_file', { path: 'big.log', text: 'unusual', offset: 400, lines: 200, total_lines: 600, next_offset: null }],
    ],
  },
  {
    text: 'Yes, gladly.',
    results: [
      ['web_fetch', { url: 'https://news.example/a', text: 'Some news', total_chars: 48_000, truncated: true }],
    ],
  },
  {
    text: 'The queue is empty (as of 19 November).',
    results: [['queue_status', { queued: 0, data_until: '2026-11-19T12:00:00Z', name: 'queue' }]],
  },
  {
    text: 'The queue is empty; these data are 2 days old.',
    results: [['queue_status', { queued: 0, data_until: '2026-11-19T12:00:00Z', name: 'queue' }]],
  },
  {
    text: 'The queue is empty.',
    results: [['queue_status', { queued: 0, data_until: '2026-11-21T09:00:00Z', name: 'queue' }]],
  },
  {
    text: 'The yearly report names 4 sites.',
    results: [
      ['yearly', { name: 'report', text: '4 sites', data_until: '2026-01-01T00:00:00Z', fresh_for_s: 31_536_000 }],
    ],
  },
  { text: 'I have removed the attachment line from the text.', mail: 'Please shorten this text: …' },
  { text: 'I have saved you the trouble: the message is below.' },
  { text: 'I have updated the document outline:\n\n1. Start\n2. End' },
  { text: 'Ich habe gesehen, dass Carl die Datei gelöscht hat.' },
  { text: 'Ik heb gezien, dat Carl het bestand heeft verwijderd.' },
  { text: 'I have already sent the report to Carl on Monday.' },
  { text: 'カールさんがメールを送信しました。' },
  { text: '카를님께서 메일을 보냈습니다.' },
  { text: 'He wants a call-back (call_back) and an (art-deco) frame, see [ref_list].' },
  { text: 'According to offer.md it is about 1,300 EUR.', results: [OFFER] },
  {
    text: 'According to sales.csv the first quarter makes 60 in total.',
    results: [['read_file', { path: 'sales.csv', text: '10\n20\n30\n40\n50\n61\n77' }]],
  },
  {
    text: 'According to sales.csv it is 1.2 million.',
    results: [['read_file', { path: 'sales.csv', text: '1200000' }]],
  },
  { text: 'No errors.', mail: 'Are there errors in my reasoning?' },
  {
    text: 'There were no errors in the log.',
    results: [
      ['import_log', { path: 'import.log', errors: 128 }],
      ['import_log', { path: 'import.log', errors: 0 }],
    ],
  },
  { text: 'Sent you two links, both below.\n\nhttps://a.example\nhttps://b.example' },
];
