import type { MailWords } from './words.ts';

export const de: MailWords = {
  assistant: 'KI-Assistenz',
  wrote: (who, when) => `Am ${when} schrieb ${who}:`,
  today: (time) => `heute um ${time}`,
  at: (day, time) => `${day}, ${time}`,
  asks: (name, question) => `${name} fragt: ${question}`,
  may: {
    mail: (subject, to) => `Darf ich „${subject}“ an ${to} senden?`,
    write: (path) => `Darf ich die Datei ${path} schreiben?`,
    edit: (path) => `Darf ich die Datei ${path} ändern?`,
    delete: (path) => `Darf ich ${path} löschen?`,
    schedule: (task) => `Darf ich den Zeitplan von „${task}“ ändern?`,
    newTask: (task) => `Darf ich die Aufgabe „${task}“ übernehmen?`,
    forget: () => 'Darf ich das vergessen?',
    run: () => 'Darf ich einen Befehl ausführen?',
    use: (tool) => `Darf ich ${tool} benutzen?`,
    several: (count) => `Darf ich diese ${count} Dinge tun?`,
    plan: (count) => `Darf ich das in ${count} Schritten tun?`,
  },
  hasQuestion: (name) => `${name} hat eine Frage`,
  stillWaiting: (name) => `${name} wartet noch auf Ihre Antwort`,
  asked: (who, when, subject) => `${who} hat mich ${when} gebeten („${subject}“):`,
  askedByYou: (when, subject) => `Sie haben mich ${when} gebeten („${subject}“):`,
  forTask: (task) => `Das gehört zur Aufgabe „${task}“.`,
  helperAsks: 'Ein Helfer von mir, der an einem Teil davon arbeitet, bittet darum.',
  would: {
    mail: 'Dafür würde ich diese Mail senden:',
    write: 'Dafür würde ich diese Datei schreiben:',
    edit: 'Dafür würde ich diese Datei ändern:',
    delete: 'Dafür würde ich diese Datei löschen:',
    schedule: 'Dafür würde ich diese Aufgabe ändern:',
    newTask: 'Dafür würde ich diese Aufgabe übernehmen:',
    forget: 'Dafür würde ich löschen, was ich mir gemerkt habe:',
    run: 'Dafür würde ich diesen Befehl ausführen:',
    use: (tool) => `Dafür würde ich ${tool} benutzen:`,
    several: (count) => `Dafür würde ich ${count} Dinge tun:`,
    plan: (count) =>
      `Dafür würde ich diese ${count} Schritte tun, in dieser Reihenfolge, und beim ersten aufhören, der misslingt:`,
  },
  labels: {
    to: 'An',
    cc: 'Kopie',
    subject: 'Betreff',
    attached: 'Anhang',
    file: 'Datei',
    task: 'Aufgabe',
    action: 'Was',
    when: 'Wann',
    prompt: 'Anweisung',
    change: 'Was sich ändern würde',
    step: 'Schritt',
  },
  actions: { create: 'anlegen', change: 'ändern', remove: 'entfernen', pause: 'anhalten', resume: 'fortsetzen' },
  isNew: 'neu: an diese Adresse habe ich noch nie geschrieben',
  origin: (value, where) => `Achtung: ${value} stammt aus ${where}. Niemand, der das bestimmen darf, hat es genannt.`,
  composed: (value) => `Achtung: ${value} habe ich selbst zusammengesetzt. Es steht in nichts, was mir vorliegt.`,
  where: {
    mail: 'der Mail selbst',
    subject: 'dem Betreff der Mail',
    names: 'dem Namen eines Anhangs',
    beside: 'dem, was mit der Mail kam',
    attachment: (name, from) => `dem Anhang ${name} von ${from}`,
    result: (tool) => `dem, was ${tool} geliefert hat`,
    forwarded: (place) => `dem, was damit weitergeleitet wurde (${place})`,
    quoted: (place) => `dem, was darin zitiert ist (${place})`,
  },
  none: 'nichts',
  beginning: (characters, file) =>
    file === null
      ? `hier steht nur der Anfang von ${characters} Zeichen; \`epistle approvals show\` zeigt alles`
      : `hier steht nur der Anfang von ${characters} Zeichen; alles liegt bei als ${file}`,
  notBeside: 'zu groß, um dieser Mail beizuliegen, oder nicht mehr aufbewahrt',
  buttons: {
    approve: 'Genehmigen',
    deny: 'Ablehnen',
    approveAll: 'Alle genehmigen',
    denyAll: 'Alle ablehnen',
    undoAll: 'Alles rückgängig',
    undo: 'Rückgängig',
  },
  answers: { yes: 'ja', no: 'nein', yesToAll: 'ja, alle', noToAll: 'nein, alle', undo: 'rückgängig' },
  editLine: 'subject: Hallo',
  how: (line) =>
    `Antworten Sie einfach „ja“ oder „nein“ (gern mit Grund). Wenn etwas anders werden soll, antworten Sie „edit 1“ und darunter Zeilen wie „${line}“.`,
  howSeveral: (line) =>
    `Antworten Sie „ja, alle“, „ja 1“, „nein 2, weil …“. Wenn etwas anders werden soll, antworten Sie „edit 1“ und darunter Zeilen wie „${line}“.`,
  howPlan: 'Antworten Sie einfach „ja“ oder „nein“ (gern mit Grund). Ihre Antwort gilt für alle Schritte zusammen.',
  howQuestion: 'Antworten Sie einfach in Ihren eigenen Worten. Ich arbeite mit dem, was Sie schreiben.',
  nothingUntil: (when) =>
    `Es geschieht nichts, bevor Sie antworten. Ich warte bis ${when}; danach wird es nicht getan.`,
  remindedOn: (when) => `Einmal erinnere ich Sie: ${when}.`,
  tapping: 'Ein Knopf öffnet eine Antwort in Ihrem Mailprogramm; sie zählt, wenn Sie sie senden.',
  reference: 'Zeichen',
  stillOpen: (count) =>
    count === 1 ? 'Das wartet noch auf Ihre Antwort:' : `${count} Dinge warten noch auf Ihre Antwort:`,
  firstMailHasAll: 'In meiner ersten Mail dazu steht genau, worum es geht. Antworten Sie auf jene oder auf diese Mail.',
  undoSubject: (name, what) => `${name}: ${what} Das lässt sich rückgängig machen.`,
  undoneCount: (count) => `Ich habe ${count} Dinge getan.`,
  undoDone: 'Das ist getan und lässt sich zurücknehmen:',
  didDelete: (path) => `Ich habe ${path} gelöscht.`,
  didUse: (tool) => `Ich habe ${tool} benutzt.`,
  didLearn: ({ kind, from, to, right }) =>
    `Ich bearbeite Mails der Art „${kind}“ jetzt nach Version ${to} dessen, was ich gelernt habe (vorher Version ${from}; richtig in ${right[0]} % der Beispiele, jetzt in ${right[1]} %).`,
  undoUntil: (when) => `Zurücknehmen geht bis ${when}.`,
  howUndo: 'Antworten Sie „rückgängig“.',
  howUndoSeveral: 'Antworten Sie „rückgängig alle“ oder „rückgängig 2“.',
  waits: (owner) =>
    owner === null
      ? 'Ihre Mail ist da. Ein Teil davon braucht eine Genehmigung, um die ich gebeten habe. Sie bekommen meine Antwort, sobald das entschieden ist.'
      : `Ihre Mail ist da. Ein Teil davon braucht die Genehmigung von ${owner}; ich habe gefragt. Sie bekommen meine Antwort, sobald das entschieden ist.`,
  waitsForWords: (owner) =>
    owner === null
      ? 'Ihre Mail ist da. Dazu muss ich erst etwas wissen und habe nachgefragt. Sie bekommen meine Antwort, sobald ich es weiß.'
      : `Ihre Mail ist da. Dazu muss ich erst etwas von ${owner} wissen und habe nachgefragt. Sie bekommen meine Antwort, sobald ich es weiß.`,
};
