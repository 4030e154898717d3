import type { MailWords } from './words.ts';

export const pl: MailWords = {
  assistant: 'Asystent AI',
  wrote: (who, when) => `Dnia ${when} ${who} napisał(a):`,
  today: (time) => `dziś o ${time}`,
  at: (day, time) => `${day}, ${time}`,
  asks: (name, question) => `${name} pyta: ${question}`,
  may: {
    mail: (subject, to) => `czy mogę wysłać „${subject}” do ${to}?`,
    write: (path) => `czy mogę zapisać plik ${path}?`,
    edit: (path) => `czy mogę zmienić plik ${path}?`,
    delete: (path) => `czy mogę usunąć ${path}?`,
    schedule: (task) => `czy mogę zmienić harmonogram zadania „${task}”?`,
    newTask: (task) => `czy mogę przyjąć zadanie „${task}”?`,
    forget: () => 'czy mogę o tym zapomnieć?',
    run: () => 'czy mogę wykonać polecenie?',
    use: (tool) => `czy mogę użyć ${tool}?`,
    several: (count) => `czy mogę zrobić to wszystko (rzeczy: ${count})?`,
    plan: (count) => `czy mogę to zrobić (kroków: ${count})?`,
  },
  hasQuestion: (name) => `${name} ma pytanie`,
  stillWaiting: (name) => `${name} wciąż czeka na odpowiedź`,
  asked: (who, when, subject) => `${who} prosi mnie, ${when} („${subject}”):`,
  askedByYou: (when, subject) => `Twoja prośba, ${when} („${subject}”):`,
  forTask: (task) => `To należy do zadania „${task}”.`,
  helperAsks: 'Prosi o to mój pomocnik, który pracuje nad częścią tego zadania.',
  would: {
    mail: 'W tym celu chcę wysłać tę wiadomość:',
    write: 'W tym celu chcę zapisać ten plik:',
    edit: 'W tym celu chcę zmienić ten plik:',
    delete: 'W tym celu chcę usunąć ten plik:',
    schedule: 'W tym celu chcę zmienić to zadanie:',
    newTask: 'W tym celu chcę przyjąć to zadanie:',
    forget: 'W tym celu chcę usunąć to, co pamiętam:',
    run: 'W tym celu chcę wykonać to polecenie:',
    use: (tool) => `W tym celu chcę użyć ${tool}:`,
    several: (count) => `W tym celu chcę zrobić (rzeczy: ${count}):`,
    plan: (count) => `W tym celu chcę wykonać po kolei te kroki (${count}) i przerwać, gdy któryś się nie uda:`,
  },
  labels: {
    to: 'Do',
    cc: 'Kopia',
    subject: 'Temat',
    attached: 'Załącznik',
    file: 'Plik',
    task: 'Zadanie',
    action: 'Co',
    when: 'Kiedy',
    prompt: 'Polecenie',
    change: 'Co by się zmieniło',
    step: 'Krok',
  },
  actions: { create: 'utworzyć', change: 'zmienić', remove: 'usunąć', pause: 'wstrzymać', resume: 'wznowić' },
  isNew: 'nowy: nie zdarzyło mi się jeszcze pisać na ten adres',
  origin: (value, where) => `Uwaga: ${value} – źródło: ${where}. Nikt, kto może o tym decydować, tego nie podał.`,
  composed: (value) => `Uwaga: ${value} pochodzi ode mnie. Nie ma tego w niczym, co mi przekazano.`,
  where: {
    mail: 'sama wiadomość',
    subject: 'temat wiadomości',
    names: 'nazwa załącznika',
    beside: 'to, co przyszło z wiadomością',
    attachment: (name, from) => `załącznik ${name} (${from})`,
    result: (tool) => `wynik ${tool}`,
    forwarded: (place) => `to, co z nią przekazano (${place})`,
    quoted: (place) => `to, co w niej zacytowano (${place})`,
  },
  none: 'nic',
  beginning: (characters, file) =>
    file === null
      ? `tu jest tylko początek (z ${characters} znaków); \`epistle approvals show\` pokazuje całość`
      : `tu jest tylko początek (z ${characters} znaków); całość jest w załączniku ${file}`,
  notBeside: 'za duże, by załączyć do tej wiadomości, albo już nieprzechowywane',
  buttons: {
    approve: 'Zatwierdź',
    deny: 'Odrzuć',
    approveAll: 'Zatwierdź wszystko',
    denyAll: 'Odrzuć wszystko',
    undoAll: 'Cofnij wszystko',
    undo: 'Cofnij',
  },
  answers: {
    yes: 'zatwierdzam',
    no: 'odrzucam',
    yesToAll: 'zatwierdzam wszystko',
    noToAll: 'odrzucam wszystko',
    undo: 'cofnij',
  },
  editLine: 'subject: Dzień dobry',
  how: (line) =>
    `Po prostu odpowiedz „zatwierdzam” lub „odrzucam” (możesz podać powód). Aby coś zmienić, odpowiedz „edit 1”, a pod spodem np. „${line}”.`,
  howSeveral: (line) =>
    `Odpowiedz „zatwierdzam wszystko”, „zatwierdzam 1”, „odrzucam 2, bo …”. Aby coś zmienić, odpowiedz „edit 1”, a pod spodem np. „${line}”.`,
  howPlan:
    'Po prostu odpowiedz „zatwierdzam” lub „odrzucam” (możesz podać powód). Odpowiedź dotyczy wszystkich kroków razem.',
  howQuestion: 'Odpowiedz po prostu własnymi słowami. Wykorzystam to, co napiszesz.',
  nothingUntil: (when) =>
    `Nic się nie stanie bez Twojej odpowiedzi. Czekam do: ${when}; potem nie zostanie to zrobione.`,
  remindedOn: (when) => `Przypomnę raz: ${when}.`,
  tapping: 'Przycisk otwiera odpowiedź w programie pocztowym; liczy się po wysłaniu.',
  reference: 'Sygnatura',
  stillOpen: (count) =>
    count === 1 ? 'To wciąż czeka na Twoją odpowiedź:' : `Wciąż czekają na Twoją odpowiedź (${count}):`,
  firstMailHasAll: 'W mojej pierwszej wiadomości jest dokładnie opisane, o co chodzi. Odpowiedz na tamtą lub na tę.',
  undoSubject: (name, what) => `${name}: ${what} Można to cofnąć.`,
  undoneCount: (count) => `Wykonano: ${count}.`,
  undoDone: 'To jest zrobione i można to cofnąć:',
  didDelete: (path) => `Usunięto ${path}.`,
  didUse: (tool) => `Użyto ${tool}.`,
  didLearn: ({ kind, from, to, right }) =>
    `Wiadomości rodzaju „${kind}” są teraz obsługiwane według wersji ${to} tego, czego się nauczono (przedtem wersja ${from}; trafna w ${right[0]} % przykładów, teraz w ${right[1]} %).`,
  undoUntil: (when) => `Można to cofnąć do: ${when}.`,
  howUndo: 'Odpowiedz „cofnij”.',
  howUndoSeveral: 'Odpowiedz „cofnij all” lub „cofnij 2”.',
  waits: (owner) =>
    owner === null
      ? 'Twoja wiadomość dotarła. Część sprawy wymaga zgody, o którą już proszę. Odpowiem, gdy tylko zapadnie decyzja.'
      : `Twoja wiadomość dotarła. Część sprawy wymaga zgody (${owner}), o którą już proszę. Odpowiem, gdy tylko zapadnie decyzja.`,
  waitsForWords: (owner) =>
    owner === null
      ? 'Twoja wiadomość dotarła. Najpierw muszę o coś zapytać i już pytam. Odpowiem, gdy tylko będę wiedzieć.'
      : `Twoja wiadomość dotarła. Najpierw muszę o coś zapytać (${owner}) i już pytam. Odpowiem, gdy tylko będę wiedzieć.`,
};
