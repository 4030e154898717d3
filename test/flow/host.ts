import { type ChildProcess, fork } from 'node:child_process';

/** What a process that serves these tests hears. */
export interface Asked<Question> {
  readonly id: number;
  readonly question: Question;
}

/** What it says: the answer to a question, why there is none, or something of its own accord. */
export type Said<Answer, News> =
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly refused: string }
  | { readonly news: News };

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/**
 * A process beside the tests that answers questions: loading the program costs far more than most of what it is asked to
 * do. It begins with the first question, serves file after file and ends with the process of the tests.
 */
export function createHost<Question, Answer, News = never>(options: {
  readonly entry: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd?: string;
  onNews?(news: News): void;
  /** It has ended, by itself or by a signal. */
  onEnd?(code: number | null): void;
}): (question: Question) => Promise<Answer> {
  const { entry, environment, cwd = process.cwd() } = options;
  const waiting = new Map<number, Waiting<Answer>>();
  const host: { process?: ChildProcess; last: number } = { last: 0 };

  function hear(said: Said<Answer, News>): void {
    if ('news' in said) {
      options.onNews?.(said.news);
      return;
    }
    const asked = waiting.get(said.id);
    waiting.delete(said.id);
    if ('refused' in said) asked?.reject(new Error(said.refused));
    else asked?.resolve(said.answer);
  }

  function start(): ChildProcess {
    const child = fork(entry, {
      cwd,
      env: environment,
      // Those of this process are for tests.
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', hear);
    child.on('exit', (code) => {
      delete host.process;
      options.onEnd?.(code);
      for (const { reject } of waiting.values()) reject(new Error(`the process of ${entry} ended with ${code}`));
      waiting.clear();
    });
    // It is no reason for this process to go on.
    child.unref();
    child.channel?.unref();
    return child;
  }

  return (question) => {
    host.process ??= start();
    host.last += 1;
    const asked: Asked<Question> = { id: host.last, question };
    return new Promise((resolve, reject) => {
      waiting.set(asked.id, { resolve, reject });
      host.process?.send(asked);
    });
  };
}

/** The other side of it, in the process itself. */
export function answerQuestions<Question, Answer, News = never>(
  answer: (question: Question) => Promise<Answer>,
): { tell(news: News): void } {
  const say = (said: Said<Answer, News>): void => void process.send?.(said);
  process.on('message', async ({ id, question }: Asked<Question>) => {
    try {
      say({ id, answer: await answer(question) });
    } catch (error) {
      say({ id, refused: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
  return { tell: (news) => say({ news }) };
}
