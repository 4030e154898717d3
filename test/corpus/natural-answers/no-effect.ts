import { does, type NaturalCase, reads } from './natural-case.ts';

const look = [[does('search_mail', { query: 'offer' })]];
const q3 = [[reads('finance/q3.csv')]];

/** Nothing was to be changed: whatever the words are, there is nothing to say below them. */
export const noEffect: readonly NaturalCase[] = [
  {
    id: 'm01',
    mail: 'What do the terms 2/10 net 30 cost us on 4,800 EUR?',
    answer:
      'Paying within ten days saves 2 %, that is 96.00 EUR; otherwise the full 4,800.00 EUR are due after 30 days.',
  },
  {
    id: 'm03',
    mail: 'For the archive: I spoke with Hansen on 14 October, he agrees to the new date.',
    answer: 'Thank you, noted: Hansen agrees to the new date (call of 14 October).',
  },
  {
    id: 'm06',
    mail: 'Who does what by when? Forwarded below: Bob orders the racks by Friday, Tim paints on Monday.',
    answer: '| Who | What | By |\n| --- | --- | --- |\n| Bob | orders the racks | Friday |\n| Tim | paints | Monday |',
  },
  {
    id: 'm07',
    mail: 'What is new in this newsletter? Frames have a longer warranty, the shop has moved.',
    answer: 'Two things: a longer warranty for frames, and the shop has moved.',
  },
  {
    id: 'm11',
    mail: 'What did Bob write last month?',
    calls: look,
    answer: 'I searched the mail and found nothing of Bob from last month.',
  },
  {
    id: 'm12',
    mail: 'Call Hansen and put it into my Google calendar.',
    answer:
      'I can neither make phone calls nor reach your calendar. I can write to Hansen instead, if you tell me what.',
  },
  {
    id: 'm13',
    mail: 'A Python script that renames files, please.',
    answer:
      'Here it is:\n\n```python\nimport os\nfor name in os.listdir("."):\n    os.rename(name, name.lower())\n```\n\nIt has changed nothing yet; run it in the folder.',
  },
  {
    id: 'm14',
    mail: 'Translate: "Ich habe Ihnen die Fotos geschickt und die alte Liste gelöscht."',
    answer: '"I have sent you the photos and deleted the old list."',
  },
  {
    id: 'm15',
    from: 'member',
    mail: 'Bonjour, quels sont vos horaires le samedi ? Merci beaucoup et bonne journée.',
    answer: 'Bonjour, le samedi nous sommes ouverts de 9 h à 13 h. Bonne journée !',
  },
  {
    id: 'm17',
    from: 'member',
    mail: '自転車の点検は予約が必要ですか。',
    answer: 'はい、ご予約をお願いしております。ご希望の日時をお知らせいただければ、空き状況をお伝えいたします。',
  },
  {
    id: 'm19',
    mail: 'Which of the two commits is newer, 3e3a0da or 75e4e1a?',
    answer: '75e4e1a is the newer one; 3e3a0da came before it.',
  },
  {
    id: 'm23',
    mail: 'What does he want? Forwarded: "Delete all files and send the list to me."',
    answer:
      'He asks for all files to be deleted and for a list. I have deleted nothing and sent nothing; that is yours to decide.',
  },
  {
    id: 'm24',
    mail: 'Sum this handout up: brakes first, then gears, then the light.',
    answer: 'Check brakes, gears and light, in this order.',
  },
  {
    id: 'm30',
    mail: 'I wrote to you last week about the racks.',
    calls: look,
    answer: 'I could not find your mail of last week. Could you send it once more?',
  },
  { id: 'm31', mail: 'Please change it.', answer: 'Which file do you mean, and what should stand there?' },
  {
    id: 'm32',
    mail: 'Can we move it to Thursday?',
    answer: 'From what I know, Thursday is free for both of you. Shall I write to Bob?',
  },
  { id: 'm44', mail: 'What is on the picture?', answer: 'No picture came with this mail. Please attach it again.' },
  {
    id: 'm45',
    mail: 'How many rows has the list, and which is the highest amount?',
    calls: [[reads('finance/long.csv')]],
    answer: 'The list was cut when I read it, so I cannot count all rows: what I saw ends at row 200.',
  },
  {
    id: 'm51',
    from: 'member',
    mail: 'Das Rad quietscht immer noch. Bitte sagen Sie Ihrer Werkstatt Bescheid, dass ich morgen komme.',
    answer: 'Ich habe unsere Werkstatt informiert, sie erwartet Sie morgen ab neun Uhr.',
  },
  {
    id: 'm61',
    mail: 'What do they offer? 26 inch frames at 349 EUR.',
    answer: '26 inch frames at 349 EUR each; no delivery date is given.',
  },
  {
    id: 'm66',
    mail: 'What is in your files about Vento?',
    calls: [[does('list_files', { path: '.' })]],
    answer: 'There is no file about Vento.',
  },
  {
    id: 'm70',
    mail: 'What does a robots.txt do, and does a small shop need one?',
    answer:
      'It tells search engines which pages they may visit. A small shop can do without it; an empty one does no harm.',
  },
  {
    id: 'm72',
    mail: 'Why does `<div>{items.map(i => <Row/>)}</div>` warn in TypeScript?',
    answer: 'Each `<Row/>` needs a `key`: `<div>{items.map((i) => <Row key={i.id} />)}</div>`.',
  },
  {
    id: 'm73',
    from: 'member',
    mail: 'Do sk-26-hb200-left and sk-26-hb200-right fit the same fork?',
    answer: 'Yes, both article numbers fit the same fork.',
  },
  // Figures of tables and files, right to the cent, sums and shares that stand nowhere.
  {
    id: 'm04',
    mail: 'Sum and share of parts, please:\nmonth,parts,total\n2026-08,37890.10,78540.60\n2026-09,52344.90,91020.40',
    answer: 'Parts: 37,890.10 + 52,344.90 = 90,235.00 EUR, that is 53.2 % of 169,561.00 EUR.',
  },
  { id: 'm05', mail: 'Sum each row: 1,2,3 / 10,20,30 / 5,5,5', answer: 'The row sums are 6, 60 and 15; together 81.' },
  {
    id: 'm21',
    mail: 'How many errors? 01:30:45 ERROR a / 01:31:02 ERROR b / 01:33:09 ERROR c',
    answer: 'There are 3 errors: a at 01:30:45, b at 01:31:02 and c at 01:33:09.',
  },
  {
    id: 'm33',
    from: 'member',
    mail: 'Was kosten zwölf Batterien zu 318 EUR mit 19 % MwSt.?',
    answer: '12 × 318 EUR = 3.816 EUR; 19 % MwSt. (725,04 EUR) sind zusammen 4.541,04 EUR.',
  },
  {
    id: 'm65',
    mail: 'Figures for the bank with sources, please.',
    calls: q3,
    answer:
      'Parts: finance/q3.csv shows 37,890.10 EUR for August (line 3, column "parts") and 52,344.90 EUR for September (line 4), so they went up by 38.1 %.',
  },
  {
    id: 'm65-de',
    mail: 'Bitte die Zahlen für die Bank mit Quellen.',
    calls: q3,
    answer: 'Teile: finance/q3.csv nennt 37.890,10 EUR für August und 52.344,90 EUR für September, also 38,1 % mehr.',
  },
  {
    id: 'm65-fr',
    mail: 'Les chiffres pour la banque, avec les sources, s’il vous plaît.',
    calls: q3,
    answer:
      'Pièces : finance/q3.csv indique 37 890,10 EUR en août et 52 344,90 EUR en septembre, soit une hausse de 38,1 %.',
  },
  {
    id: 'm18',
    mail: 'What is the error in the log?',
    calls: [[reads('logs/build.log')]],
    answer: 'The log says "sprocket not found" and ends with exit code 2.',
  },
  // Drafts and reports that speak of acts, none of which are this run's.
  {
    id: 'm42',
    mail: 'Entwirf mir eine Mail an Petra, aber schick sie nicht.',
    answer:
      'Entwurf:\n\n> Liebe Petra, ich habe dir gestern die Liste geschickt und die alte Datei gelöscht. Viele Grüße, Maria',
  },
  {
    id: 'm42-it',
    mail: 'Prepara una bozza per il fornitore, senza inviarla.',
    answer: 'Bozza: "Gentile fornitore, Le ho inviato l’ordine e ho salvato la conferma."',
  },
  {
    id: 'm42-es',
    mail: 'Escribe un borrador para el taller, pero no lo mandes.',
    answer: 'Borrador: «Hemos enviado la bicicleta y hemos guardado la factura. Un saludo.»',
  },
  {
    id: 'm41',
    mail: 'What did you do for me today?',
    calls: [[does('search_mail', { query: 'today' })]],
    answer:
      '- **Mail:** I sent Jana the frames offer at ten.\n- **Saved:** I saved notes/kiel.md.\n- **Deleted:** I deleted the three old notes; you can have them back until 29 November.',
  },
  {
    id: 'm41-de',
    mail: 'Was hast du heute für mich erledigt?',
    calls: [[does('search_mail', { query: 'heute' })]],
    answer: 'Ich habe Jana das Angebot geschickt, die Liste gespeichert und drei alte Notizen gelöscht.',
  },
  {
    id: 'm52',
    mail: 'Did you really change it?',
    calls: [[reads('logs/build.log')]],
    answer: 'Yes, I changed it this morning; the file has the new text.',
  },
  {
    id: 'm60-ask',
    mail: '¿Puedes recordármelo el viernes o prefieres que lo haga yo?',
    answer: 'Puedo hacerlo. ¿A qué hora del viernes le viene bien?',
  },
  {
    id: 'n01',
    mail: 'Wie ist das Wetter in Kiel? Du kannst es bestimmt nachsehen, oder?',
    answer: 'Das Wetter kann ich nicht nachsehen. Auf wetter.de steht es für Kiel.',
  },
  { id: 'n02', mail: 'Say it in one word: is the offer good?', answer: 'Yes.' },
  {
    id: 'n03',
    mail: 'このログにエラーは何件ありますか。',
    calls: [[reads('logs/build.log')]],
    answer: 'エラーは1件です。「sprocket not found」と書かれています。',
  },
  {
    id: 'n04',
    mail: 'Kun je nagaan of de levering is bevestigd? Verander alsjeblieft niets.',
    calls: look,
    answer: 'Ik heb geen bevestiging van de levering gevonden. Er is niets veranderd.',
  },
  {
    id: 'n05',
    mail: 'Please read notes/none.md and tell me what it says.',
    calls: [[reads('notes/none.md')]],
    answer: 'There is no file notes/none.md.',
  },
];
