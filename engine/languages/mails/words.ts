/** What the mails that the gateway writes by itself say, in one language. Plain text: nothing in it is markup. */
export interface MailWords {
  /** Below a name in the signature. */
  readonly assistant: string;
  /** Above a quote. */
  wrote(who: string, when: string): string;
  today(time: string): string;
  at(day: string, time: string): string;

  /** Subjects of questions: who asks, and what. */
  asks(name: string, question: string): string;
  readonly may: {
    mail(subject: string, to: string): string;
    write(path: string): string;
    edit(path: string): string;
    delete(path: string): string;
    schedule(task: string): string;
    newTask(task: string): string;
    forget(): string;
    run(): string;
    use(tool: string): string;
    several(count: number): string;
    plan(count: number): string;
  };
  hasQuestion(name: string): string;
  stillWaiting(name: string): string;
  /** Lines before what somebody asked for. */
  asked(who: string, when: string, subject: string): string;
  askedByYou(when: string, subject: string): string;
  forTask(task: string): string;
  /** Before what a child run asks for. */
  readonly helperAsks: string;
  /** Lines before what would be done. */
  readonly would: {
    readonly mail: string;
    readonly write: string;
    readonly edit: string;
    readonly delete: string;
    readonly schedule: string;
    readonly newTask: string;
    readonly forget: string;
    readonly run: string;
    use(tool: string): string;
    several(count: number): string;
    plan(count: number): string;
  };
  readonly labels: {
    readonly to: string;
    readonly cc: string;
    readonly subject: string;
    readonly attached: string;
    readonly file: string;
    readonly task: string;
    readonly action: string;
    readonly when: string;
    readonly prompt: string;
    readonly change: string;
    readonly step: string;
  };
  /** What was done to a task. */
  readonly actions: Readonly<Record<'create' | 'change' | 'remove' | 'pause' | 'resume', string>>;
  readonly isNew: string;
  /** Says where a value was read that stands in no trusted text. */
  origin(value: string, where: string): string;
  composed(value: string): string;
  readonly where: {
    readonly mail: string;
    readonly subject: string;
    readonly names: string;
    readonly beside: string;
    attachment(name: string, from: string): string;
    result(tool: string): string;
    forwarded(place: string): string;
    quoted(place: string): string;
  };
  readonly none: string;
  /** Where a long text is: in a file beside the mail, or nowhere but on the command line. */
  beginning(characters: number, file: string | null): string;
  readonly notBeside: string;

  readonly buttons: Readonly<Record<'approve' | 'deny' | 'approveAll' | 'denyAll' | 'undo' | 'undoAll', string>>;
  /** What a tap on a button writes; each is understood where answers are read. */
  readonly answers: {
    readonly yes: string;
    readonly no: string;
    readonly yesToAll: string;
    readonly noToAll: string;
    readonly undo: string;
  };
  /** Of a call that has a subject: a line that changes it. The key is what the gateway reads. */
  readonly editLine: string;
  /** `line`: such a line, of the call that is asked about. */
  how(line: string): string;
  howSeveral(line: string): string;
  readonly howPlan: string;
  readonly howQuestion: string;
  nothingUntil(when: string): string;
  remindedOn(when: string): string;
  readonly tapping: string;
  readonly reference: string;
  stillOpen(count: number): string;
  readonly firstMailHasAll: string;

  undoSubject(name: string, what: string): string;
  undoneCount(count: number): string;
  readonly undoDone: string;
  didDelete(path: string): string;
  didUse(tool: string): string;
  /** `right`: of 100 examples, before and now. */
  didLearn(change: { kind: string; from: number; to: number; right: readonly [number, number] }): string;
  undoUntil(when: string): string;
  readonly howUndo: string;
  readonly howUndoSeveral: string;

  /** To the one who asked; `owner` is null where no name is known. */
  waits(owner: string | null): string;
  /** The same where an owner is not asked to agree, but for something to be told. */
  waitsForWords(owner: string | null): string;
}
