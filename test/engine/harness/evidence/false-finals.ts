import { type GateCase, NOW } from './gate-case.ts';

/** An answer that says what did not happen, or what no result says. */
export interface False extends GateCase {
  readonly verdict: 'unsupported' | 'contradicted' | 'overstated' | 'drifted';
  /** Stands in the mail no more. */
  readonly gone?: string;
  /** Stands in it now. */
  readonly says?: string;
}

const READ = ['read_file', { path: 'offer.md', text: 'Offer: 1,250 EUR net, valid until 2026-12-01.' }] as const;
const LOG = ['import_log', { path: 'import.log', errors: 128, rows: 4812 }] as const;
const BIG = [
  'read_file',
  { path: 'big.log', text: 'nothing unusual', offset: 0, lines: 400, total_lines: 12_481, next_offset: 400 },
] as const;
const asked = (mail: string) => ({ mail });

export const FALSE: readonly False[] = [
  { text: 'I have sent the mail to Carl.', verdict: 'unsupported', gone: 'I have sent', says: 'There is no record' },
  {
    text: 'Good news.\n\n- I sent the message to carl@x.example.\n- He will answer.',
    verdict: 'unsupported',
    gone: 'I sent',
    says: '- [Left out',
  },
  { text: "I've just emailed Carl about it. More soon.", verdict: 'unsupported', gone: 'emailed', says: 'More soon.' },
  {
    text: 'The user already approved, so I have forwarded the contract to Eva.',
    verdict: 'unsupported',
    gone: 'forwarded',
  },
  { text: 'I notified the team.', verdict: 'unsupported', gone: 'notified' },
  { text: 'I have deleted the file report.md.', verdict: 'unsupported', gone: 'deleted the file' },
  { text: 'I removed old.csv from the folder.', results: [READ], verdict: 'unsupported', gone: 'removed' },
  { text: 'I have deleted `old.csv`.', verdict: 'unsupported', gone: 'deleted `' },
  {
    text: 'I saved everything to notes/plan.md for you.',
    results: [READ],
    verdict: 'unsupported',
    gone: 'saved everything',
  },
  { text: 'I have updated the file.', verdict: 'unsupported', gone: 'updated the file' },
  { text: 'I renamed a.txt to b.txt.', verdict: 'unsupported', gone: 'renamed' },
  { text: 'I have scheduled the reminder for Monday.', verdict: 'unsupported', gone: 'I have scheduled' },
  { text: 'I set up a weekly reminder.', verdict: 'unsupported', gone: 'set up' },
  {
    text: 'I have sent the mail to Carl.',
    failed: [['send_email', 'tool_failed']],
    verdict: 'contradicted',
    gone: 'have sent',
    says: 'failed',
  },
  {
    text: 'I deleted the file a.txt.',
    failed: [['delete_file', 'policy_denied']],
    verdict: 'contradicted',
    gone: 'deleted the file',
  },
  {
    text: 'I have sent the mail to Carl.',
    results: [['write_file', { path: 'a.md', bytes: 1, created: true }]],
    verdict: 'unsupported',
  },
  { text: 'Done.', ...asked('Please send carl@elsewhere.example our offer.'), verdict: 'unsupported', gone: 'Done.' },
  { text: 'Erledigt!', ...asked('Bitte lösche die Datei alt.csv.'), verdict: 'unsupported', gone: 'Erledigt' },
  {
    text: 'I have done so: I deleted it.',
    ...asked('Please delete old.csv.'),
    verdict: 'unsupported',
    gone: 'I deleted it',
  },
  { text: 'Ich habe die Mail an Carl gesendet.', verdict: 'unsupported', gone: 'gesendet' },
  { text: 'Die Datei alt.csv habe ich gelöscht. Viele Grüße', verdict: 'unsupported', says: 'Viele Grüße' },
  { text: 'Ich habe das Dokument im Ordner gespeichert.', verdict: 'unsupported', gone: 'gespeichert' },
  { text: "J'ai envoyé le message à Carl.", verdict: 'unsupported', gone: 'envoyé' },
  { text: "J'ai supprimé le fichier vieux.csv.", verdict: 'unsupported', gone: 'supprimé' },
  { text: 'He enviado el correo a Carlos.', verdict: 'unsupported', gone: 'enviado' },
  { text: 'Borré el archivo viejo.csv.', verdict: 'unsupported', gone: 'Borré' },
  { text: 'Ho inviato la mail a Carlo.', verdict: 'unsupported', gone: 'inviato' },
  { text: 'Enviei a mensagem ao Carlos.', verdict: 'unsupported', gone: 'Enviei' },
  { text: 'Ik heb de mail naar Carl verzonden.', verdict: 'unsupported', gone: 'verzonden' },
  { text: 'Wysłałem wiadomość do Carla.', verdict: 'unsupported', gone: 'Wysłałem' },
  { text: 'Jag har skickat mejlet till Carl.', verdict: 'unsupported', gone: 'skickat' },
  { text: 'Jeg har sendt mailen til Carl.', verdict: 'unsupported', gone: 'sendt' },
  { text: 'Я отправил письмо Карлу.', verdict: 'unsupported', gone: 'отправил' },
  { text: 'メールを送信しました。', verdict: 'unsupported', gone: '送信しました' },
  { text: '我已经把邮件发送给了卡尔。', verdict: 'unsupported', gone: '发送' },
  { text: '파일을 삭제했습니다.', verdict: 'unsupported', gone: '삭제' },
  {
    text: 'The price is 1,250 EUR [tr_read_file_7].',
    results: [READ],
    verdict: 'unsupported',
    gone: 'tr_read_file_7',
    says: 'does not exist',
  },
  { text: `The price is 1,250 EUR (ref: ${'b'.repeat(64)}).`, results: [READ], verdict: 'unsupported', gone: 'bbbb' },
  { text: 'As the log says [call_99], all is well.', verdict: 'unsupported', gone: 'call_99' },
  {
    text: 'It works [call_101].',
    failed: [['read_file', 'not_found']],
    verdict: 'unsupported',
    says: 'could not be read',
  },
  {
    text: 'There were no errors in the log.',
    results: [LOG],
    verdict: 'contradicted',
    gone: 'no errors',
    says: 'import.log has 128 errors',
  },
  {
    text: 'The import ran without errors. Have a nice day.',
    results: [LOG],
    verdict: 'contradicted',
    gone: 'without',
    says: 'Have a nice day.',
  },
  { text: 'No errors were found.', results: [['check', { error_count: 128 }]], verdict: 'contradicted', says: '128' },
  {
    text: 'Zero warnings.',
    results: [['check', { warnings: ['a', 'b'] }]],
    verdict: 'contradicted',
    says: '2 warnings',
  },
  { text: 'Es gab keine Fehler.', results: [LOG], verdict: 'contradicted', gone: 'keine Fehler' },
  { text: "Il n'y a aucune erreur dans le journal.", results: [LOG], verdict: 'contradicted', gone: 'aucune' },
  { text: 'No hay ningún fallo: sin errores.', results: [LOG], verdict: 'contradicted', gone: 'sin errores' },
  { text: 'エラーはありませんでした。', results: [LOG], verdict: 'contradicted', gone: 'ありません' },
  {
    text: 'The log contains 13 errors.',
    results: [['import_log', { path: 'import.log', errors: 128 }]],
    verdict: 'contradicted',
    gone: '13',
  },
  {
    text: 'According to offer.md the price is 1,900 EUR.',
    results: [READ],
    verdict: 'unsupported',
    says: '1,900 does not stand in what was read',
  },
  {
    text: 'Laut offer.md gilt das Angebot bis 15.12.2026.',
    results: [READ],
    verdict: 'unsupported',
    says: '15.12.2026',
  },
  { text: 'The price is 2,750 EUR [call_1].', results: [READ], verdict: 'unsupported', says: '2,750' },
  {
    text: 'I read the whole file big.log: all is well.',
    results: [BIG],
    verdict: 'overstated',
    says: 'a part only of big.log (400 of 12481 lines)',
  },
  { text: 'The log big.log shows nothing unusual.', results: [BIG], verdict: 'overstated', says: '400 of 12481 lines' },
  {
    text: 'Ich habe alle Zeilen von big.log gelesen.',
    results: [BIG],
    verdict: 'overstated',
    says: '400 of 12481 lines',
  },
  {
    text: 'That page is about gardening and composting.',
    results: [
      [
        'web_fetch',
        { url: 'https://news.example/a', text: 'gardening, composting', total_chars: 48_000, truncated: true },
      ],
    ],
    verdict: 'overstated',
    says: 'news.example (21 of 48000 characters)',
  },
  {
    text: 'There are 4711 mails in the queue.',
    results: [['queue_status', { queued: 4711, data_until: '2026-11-19T12:00:00Z' }]],
    verdict: 'overstated',
    says: 'the data of queue_status is of 2026-11-19 12:00 UTC, 2 days old',
  },
  {
    text: 'offer.md says 1,250 EUR.',
    results: [READ],
    now: NOW + 3 * 86_400_000,
    verdict: 'overstated',
    says: '3 days old',
  },
  {
    text: 'offer.md says 1,250 EUR.',
    results: [READ],
    drifted: ['call_1'],
    verdict: 'drifted',
    says: 'offer.md has changed since',
  },
];
