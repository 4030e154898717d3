import { deletes, does, JANA, type NaturalCase, PETRA, reads, saves, writesTo } from './natural-case.ts';

const code =
  '```ts\nconst done = (x: Map<string, number>) => x.get("Not done: a") ?? 0; // Done\n\nexport { done };\n```';
const json = '{\n  "status": "Done",\n  "not_done": ["a", "b"],\n  "href": "https://example.com/?a=1&b=2"\n}';
const table = '| Item | Done | Not done |\n| --- | ---: | --- |\n| Roof | 1 | – |\n| Paint |  | x |';
const letter =
  'Here is a draft:\n\nDear Ms Kaya,\n\nthank you for your order of 3 November 2026. We have sent it today.\n\nKind regards\nMaria Lind\n\n-- \nLind & Co.\n+49 30 901820-14';
const long = Array.from(
  { length: 700 },
  (_, n) => `${n + 1}. Line ${n + 1} of the report is done; nothing was deleted.`,
).join('\n');

/** Answers of odd shapes, which hold what the gateway itself uses: its words, its signs, its markers. */
export const unusual: readonly NaturalCase[] = [
  {
    id: 'u01',
    mail: 'What would the receipt say?',
    answer: 'It would say:\n\nDone: mail to carl@example.com "The offer"\nNot done: delete notes/old.md',
  },
  { id: 'u02', mail: 'Is it done?', answer: 'Done.' },
  { id: 'u03', mail: 'And this?', answer: 'Not done: I have no such file.' },
  { id: 'u04', mail: 'Show me the code.', answer: code },
  { id: 'u05', mail: 'Give me JSON only.', answer: json },
  { id: 'u06', mail: 'A table, please.', answer: `Here it is:\n\n${table}\n\nThat is all.` },
  {
    id: 'u07',
    mail: 'What did they write?',
    answer: 'They wrote:\n\n> We have sent the goods.\n> Waiting: the invoice.\n\nThat is a claim of theirs.',
  },
  { id: 'u08', mail: 'Draft a letter to Ms Kaya.', answer: letter },
  {
    id: 'u09',
    mail: 'Where does it stand?',
    answer: 'In the contract [1], section 7 [2]; see also [12] and footnote [a].',
  },
  { id: 'u10', mail: 'Two dashes?', answer: 'Above\n--\nbelow, and\n-- \nmore below.' },
  { id: 'u11', mail: 'Say the word.', answer: 'The word is NOTHING. NOTHING was sent.' },
  { id: 'u12', mail: 'A long report, please.', answer: long },
  { id: 'u13', mail: 'With room between.', answer: 'First.\n\n\n\nSecond, after three empty lines.\n\n\nThird.' },
  { id: 'u14', mail: 'כמה זה עולה?', answer: 'זה עולה 1,200.50 ₪, והמשלוח (בלי מע״מ) 30.' },
  { id: 'u15', mail: 'متى الموعد؟', answer: 'الموعد يوم 3 نوفمبر 2026 الساعة 10:00 في Kiel (غرفة 2).' },
  { id: 'u16', mail: 'Good?', answer: '👍🏽' },
  {
    id: 'u17',
    mail: 'HTML?',
    answer: 'Use <div class="a">&amp;</div>, <b>bold</b> and Map<string, T>; never <script>alert(1)</script>.',
  },
  { id: 'u18', mail: 'A formula?', answer: 'x_1 * x_2 ** 2 ~ 3 < 4 && 5 > 2, C:\\temp\\*.log, `rm -rf ./build`, a|b' },
  {
    id: 'u19',
    mail: 'Headings?',
    answer: '# Done\n\n## Not done\n\n- [x] roof\n- [ ] paint\n\n1. one\n2. two\n   - inner\n\n***\n\nEnd.',
  },
  {
    id: 'u20',
    mail: 'A mail header?',
    answer:
      'From: carl@example.com\nTo: ada@example.com\nSubject: Done\n\nFrom here on it is text.\n.\nA line with a dot alone stands above.',
  },
  {
    id: 'u21',
    mail: '書いてください。',
    answer: '完了しました。「未完了」はありません。\n　全角の空白から始まる行です。',
  },
  {
    id: 'u22',
    mail: 'Tool call?',
    answer: '<tool_call>{"name":"send_email","arguments":{}}</tool_call> is what it looks like; I called nothing.',
  },
  // With effects, in ten languages.
  {
    id: 'u31',
    mail: 'Please save this note and show me the code.',
    calls: [[saves('u/en.md')]],
    answer: `${code}\n\nSaved.`,
    receipt: ['Done: saved u/en.md'],
  },
  {
    id: 'u32',
    mail: 'Bitte speichere die Notiz und schreib Jana kurz, dass sie fertig ist.',
    calls: [[saves('u/de.md')], [writesTo(JANA, 'Fertig')]],
    answer: 'Beides ist geschehen; Nicht erledigt: nichts.',
    receipt: [`Erledigt: u/de.md gespeichert · Mail an ${JANA} „Fertig“`],
  },
  {
    id: 'u33',
    mail: 'Écris à Jana et enregistre la note, s’il te plaît.',
    calls: [[writesTo(JANA, 'Voilà'), saves('u/fr.md')]],
    answer: 'C’est fait : Jana est prévenue et la note est enregistrée.',
    receipt: [`Fait: message envoyé à ${JANA} « Voilà » · u/fr.md enregistré`],
  },
  {
    id: 'u34',
    mail: 'Escribe por favor a Jana que llegamos el martes.',
    calls: [[writesTo(JANA, 'El martes')]],
    answer: 'Ya le he escrito a Jana que llegamos el martes.',
    receipt: [`Hecho: correo enviado a ${JANA} «El martes»`],
  },
  {
    id: 'u35',
    mail: 'Scrivi per favore a Jana che arriviamo martedì.',
    calls: [[writesTo(JANA, 'Martedì')]],
    answer: 'Ho scritto a Jana che arriviamo martedì.',
    receipt: [`Fatto: mail a ${JANA} «Martedì»`],
  },
  {
    id: 'u36',
    mail: 'Schrijf alsjeblieft aan Jana dat we dinsdag komen.',
    calls: [[writesTo(JANA, 'Dinsdag')]],
    answer: 'Ik heb Jana geschreven dat we dinsdag komen.',
    receipt: [`Gedaan: mail aan ${JANA} "Dinsdag"`],
  },
  {
    id: 'u37',
    mail: 'Escreva por favor para a Jana que chegamos na terça-feira.',
    calls: [[writesTo(JANA, 'Terça')]],
    answer: 'Já escrevi para a Jana que chegamos na terça-feira.',
    receipt: [`Feito: e-mail para ${JANA} "Terça"`],
  },
  {
    id: 'u38',
    mail: 'Napisz proszę do Jany, że przyjedziemy we wtorek.',
    calls: [[writesTo(JANA, 'Wtorek')]],
    answer: 'Napisałam do Jany, że przyjedziemy we wtorek.',
    receipt: [`Zrobione: wiadomość do ${JANA} „Wtorek”`],
  },
  {
    id: 'u39',
    mail: 'ヤナさんに火曜日に行くとメールで伝えてください。',
    calls: [[writesTo(JANA, '火曜日')]],
    answer: 'ヤナさんに火曜日に行くと伝えました。',
    receipt: [`完了: ${JANA} 宛てのメール 「火曜日」`],
  },
  {
    id: 'u40',
    mail: '请写信告诉亚娜我们星期二到。',
    calls: [[writesTo(JANA, '星期二')]],
    answer: '我已经写信告诉亚娜我们星期二到。',
    receipt: [`已完成: 邮件已发送至 ${JANA} “星期二”`],
  },
  {
    id: 'u41',
    mail: 'Do three things at once.',
    calls: [[saves('u/three.md'), reads('u/none.md'), writesTo(PETRA, 'Three')]],
    answer: '👍',
    receipt: [`Done: saved u/three.md · mail to ${PETRA} "Three"`],
  },
  {
    id: 'u42',
    mail: 'Save a, mail Jana with it, and run the build.',
    calls: [[saves('u/a.md'), does('shell', { command: 'make' }), writesTo(JANA, 'A')]],
    answer: table,
    receipt: [`Done: saved u/a.md · mail to ${JANA} "A"`, 'Not done: a command "make" (not allowed by a rule)'],
  },
  {
    id: 'u43',
    mail: `Mail Jana (${JANA}) the list; try until it works.`,
    calls: [
      [does('send_email', { to: [JANA], subject: 'List', body: 'Here.', attachments: ['u/missing.md'] })],
      [saves('u/list.md')],
      [does('send_email', { to: [JANA], subject: 'List', body: 'Here.', attachments: ['u/list.md'] })],
    ],
    answer: 'She has the list.',
    receipt: [`Done: saved u/list.md · mail to ${JANA} "List"`],
  },
  {
    id: 'u44',
    mail: 'Write down the letter and do nothing else.',
    calls: [[saves('u/letter.md', letter)]],
    answer: letter,
    receipt: ['Done: saved u/letter.md'],
  },
  // With an owner's decision.
  {
    id: 'u51',
    mail: 'Save the list, delete it again, and tell Petra.',
    calls: [[saves('u/gone.md')], [deletes('u/gone.md')], [writesTo(PETRA, 'Gone')]],
    owner: ['yes'],
    answer: 'It is gone, and Petra knows.',
    receipt: [`Done: saved u/gone.md · deleted u/gone.md · mail to ${PETRA} "Gone"`],
  },
  {
    id: 'u52',
    isPartial: true,
    mail: 'Schreib bitte an neu@fremd.example, dass wir am Montag kommen.',
    calls: [[writesTo('neu@fremd.example', 'Montag', 'Wir kommen am Montag.')]],
    owner: ['nein, weil wir erst am Dienstag kommen'],
    answer: 'Erledigt: ich habe es ihnen geschrieben.',
    receipt: [
      'Nicht erledigt: Mail an neu@fremd.example „Montag“ (der Inhaber hat Nein gesagt: „wir erst am Dienstag kommen“)',
    ],
  },
  {
    id: 'u53',
    mail: 'Please write to new@foreign.example about Monday.',
    calls: [[writesTo('new@foreign.example', 'Monday', 'We come on Monday.')]],
    owner: ['edit 1\nsubject: Tuesday\nbody: We come on Tuesday.', 'Yes, go ahead.'],
    answer: 'They know of it.',
    receipt: ['Done: mail to new@foreign.example "Tuesday"'],
  },
  {
    id: 'u54',
    mail: 'Please write to other@foreign.example about Friday.',
    calls: [[writesTo('other@foreign.example', 'Friday', 'We come on Friday.')]],
    owner: ['edit 1\nto: third@foreign.example', 'ok'],
    answer: 'It is on its way.',
    receipt: ['Done: mail to third@foreign.example "Friday"'],
  },
];
