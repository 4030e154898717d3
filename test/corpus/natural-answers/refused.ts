import { deletes, does, edits, JANA, type NaturalCase, saves, TIM, writesTo } from './natural-case.ts';

/** Something was to be done and was not. */
export const refused: readonly NaturalCase[] = [
  {
    id: 'r01',
    isPartial: true,
    mail: `Send the offer to ${TIM}, please.`,
    calls: [[writesTo(TIM, 'The offer')]],
    owner: ['deny because the price is wrong'],
    answer: 'All set, the offer is with them.',
    receipt: [`Not done: mail to ${TIM} "The offer" (the owner said no: "the price is wrong")`],
  },
  {
    id: 'r02',
    isPartial: true,
    mail: `Schick ${TIM} bitte das Angebot von gestern.`,
    calls: [[writesTo(TIM, 'Angebot')]],
    owner: ['nein'],
    answer: 'Das Angebot ging nicht hinaus, weil es abgelehnt wurde.',
    receipt: [`Nicht erledigt: Mail an ${TIM} „Angebot“ (der Inhaber hat Nein gesagt)`],
  },
  {
    id: 'm28',
    isPartial: true,
    from: 'member',
    mail: `Please order three frames from ${TIM}.`,
    calls: [[writesTo(TIM, 'Order of three frames')]],
    owner: ['deny because we have enough'],
    answer: 'The order was not placed: there are enough frames.',
    receipt: [`Not done: mail to ${TIM} "Order of three frames" (the owner said no)`],
  },
  {
    id: 'r04',
    mail: 'Save the note and delete the old one.',
    calls: [[saves('notes/new-one.md'), saves('notes/old-one.md')], [deletes('notes/old-one.md')]],
    owner: ['deny because keep it'],
    answer: 'The new note is there. The old one stays, as you wished.',
    receipt: [
      'Done: saved notes/new-one.md · saved notes/old-one.md',
      'Not done: delete notes/old-one.md (the owner said no: "keep it")',
    ],
  },
  {
    id: 'r05',
    isPartial: true,
    mail: 'Run the build.',
    calls: [[does('shell', { command: 'make all' })]],
    answer: 'I am not allowed to run commands here.',
    receipt: ['Not done: a command "make all" (not allowed by a rule)'],
  },
  {
    id: 'r06',
    isPartial: true,
    mail: 'Change the word in lists/none.md.',
    calls: [[edits('lists/none.md', 'a', 'b')]],
    answer: 'There is no such file, so nothing was changed.',
    receipt: ['Not done: change lists/none.md (the file is not there)'],
  },
  {
    id: 'r07',
    isPartial: true,
    mail: 'Ändere bitte das Wort in der Liste lists/keine.md.',
    calls: [[edits('lists/keine.md', 'a', 'b')]],
    answer: 'Diese Liste gibt es nicht, daher wurde nichts geändert.',
    receipt: ['Nicht erledigt: lists/keine.md ändern (die Datei ist nicht da)'],
  },
  {
    id: 'r08',
    mail: 'Write to Jana, and send her the list.',
    calls: [
      [
        writesTo(JANA, 'Both'),
        does('send_email', { to: [JANA], subject: 'List', body: 'See below.', attachments: ['out/none.pdf'] }),
      ],
    ],
    answer: 'Jana has the first; the list is not there, so it was not sent.',
    receipt: [`Done: mail to ${JANA} "Both"`, `Not done: mail to ${JANA} "List" (the file is not there)`],
  },
  {
    id: 'r09',
    isPartial: true,
    from: 'member',
    mail: 'Remind me every Monday.',
    calls: [
      [does('schedule_task', { action: 'create', task: 'mia-monday', schedule: '0 8 * * 1', prompt: 'Remind Mia.' })],
    ],
    answer: 'Only an owner can have reminders set up, so there is none.',
    receipt: ['Not done: schedule mia-monday (every Monday at 08:00; an owner would have to ask for this)'],
  },
  {
    id: 'r10',
    isPartial: true,
    from: 'member',
    mail: 'Is the reminder for the lab set?',
    // By which it is seen which tasks there are.
    calls: [[does('schedule_task', { action: 'change', task: 'list' })]],
    answer: 'Only an owner can have me look that up.',
    receipt: ['Not done: changing a task (an owner would have to ask for this)'],
  },
];
