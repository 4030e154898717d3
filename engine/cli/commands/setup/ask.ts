import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { confirm, password, select, text } from '@clack/prompts';
import { EngineError } from '#contract';
import { type Saved, serverIn } from './answers.ts';
import { folderFault, folderIn } from './folder.ts';

/** Where the prompts are; a terminal. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** What setup asks, each by Enter where there is something to suggest. A Ctrl-C ends with `cancelled`. */
export interface Prompts {
  folder(suggested: string): Promise<string>;
  owner(suggested: string | undefined): Promise<string>;
  mailbox(suggested: string | undefined): Promise<string>;
  /** Only where the servers were not found, or have to be confirmed. */
  server(protocol: 'imap' | 'smtp', suggested: string | undefined): Promise<string>;
  /** Only where its domain is close to one that many have: which of the two addresses is meant. */
  whichOf(typed: string, meant: string): Promise<string>;
  /** Only where a server's certificate is signed by nobody who is known here. */
  caFile(suggested: string | undefined): Promise<string>;
  secret(options: { readonly about: string; readonly isThere: boolean }): Promise<string | null>;
  /** Only where the provider takes no password: the client that is registered there. */
  clientId(options: { readonly about: string; readonly suggested: string | undefined }): Promise<string>;
  model(choices: readonly ModelChoice[]): Promise<NonNullable<Saved['model']>>;
  persona(suggested: string | undefined): Promise<string>;
  /** Only where a workspace is there: whether it is to be changed so. */
  mayWrite(): Promise<boolean>;
  /** Only where nothing proved the first mail and a server vouches for it. */
  mayTrust(options: { readonly server: string; readonly isItsOwn: boolean }): Promise<boolean>;
  /** Only where whoever logs in can write as somebody else; what was typed, and nothing by Enter. */
  trustWord(options: { readonly server: string; readonly word: string }): Promise<string>;
}

export interface ModelChoice {
  readonly label: string;
  readonly hint: string;
  readonly model: NonNullable<Saved['model']>;
}

const ADDRESS = /^[^\s@<>,;:"]+@[^\s@<>,;:"]+\.[^\s@<>,;:"]+$/;

export function createPrompts(terminal: Terminal, ending: string = BROKEN_OFF): Prompts {
  const answered = <Value>(given: Value) => orThrow(given, ending);
  const line = async (message: string, suggested: string | undefined, wrong: (value: string) => string | undefined) => {
    const given = await text({
      ...terminal,
      message,
      ...(suggested === undefined ? {} : { placeholder: suggested, defaultValue: suggested }),
      validate: (value) => wrong(value || suggested || ''),
    });
    return answered(given).trim();
  };
  const notAddress = (value: string) =>
    ADDRESS.test(value.trim()) ? undefined : 'a mail address, such as you@example.com';
  const notServer = (protocol: 'imap' | 'smtp') => (value: string) => {
    try {
      serverIn(value.trim(), protocol);
      return undefined;
    } catch {
      return `a name such as ${protocol}.example.com, or host:port:tls such as imap.example.com:993:implicit or smtp.example.com:587:starttls`;
    }
  };
  const needed = (value: string) => (value.trim() === '' ? 'something has to stand here' : undefined);
  return {
    folder: (suggested) =>
      line('Folder of the workspace', suggested, (value) => needed(value) ?? folderFault(folderIn(value)) ?? undefined),
    owner: (suggested) => line('Your own mail address', suggested, notAddress),
    mailbox: (suggested) => line('The address of the mailbox that your persona uses', suggested, notAddress),
    server: (protocol, suggested) =>
      line(`Its ${protocol.toUpperCase()} server (a name, or host:port:tls)`, suggested, notServer(protocol)),
    whichOf: async (typed, meant) =>
      answered(
        await select({
          ...terminal,
          message: 'Which of the two is meant?',
          options: [typed, meant].map((value) => ({ value, label: value })),
        }),
      ),
    caFile: (suggested) =>
      line('The file of the authority that signed its certificate (PEM)', suggested, (value) =>
        existsSync(value.trim()) ? undefined : 'a file that is there',
      ),
    async secret({ about, isThere }) {
      const message = `${about}${isThere ? ' (Enter keeps the one in .env)' : ''}`;
      const given = answered(
        await password({ ...terminal, message, validate: (value) => (value || isThere ? undefined : needed('')) }),
      );
      return given ? given : null;
    },
    clientId: ({ about, suggested }) => line(about, suggested, needed),
    async model(choices) {
      const options = choices.map(({ label, hint }, value) => ({ value, label, hint }));
      const chosen = answered(
        await select({ ...terminal, message: 'The model that reads the mail', options, initialValue: 0 }),
      );
      const { model } = choices[chosen] ?? { model: { provider: null, model: null, url: null } };
      if (model.url === null) return model;
      const url = await line('Its address (OpenAI-compatible)', model.url, needed);
      return { ...model, url, model: await line('The name of the model', undefined, needed) };
    },
    persona: (suggested) => line('The name of the persona', suggested, needed),
    mayWrite: async () => answered(await confirm({ ...terminal, message: 'Write it?', initialValue: true })),
    mayTrust: async ({ server, isItsOwn }) =>
      answered(await confirm({ ...terminal, message: `Shall I trust what ${server} says?`, initialValue: isItsOwn })),
    trustWord: async ({ server, word }) =>
      answered(
        await text({
          ...terminal,
          message: `Type ${word} to trust every login at ${server} all the same; Enter leaves it`,
          defaultValue: '',
        }),
      ).trim(),
  };
}

function orThrow<Value>(given: Value, ending: string): Exclude<Value, symbol> {
  if (isGiven(given)) return given;
  throw new EngineError('cancelled', ending);
}

/** What somebody is told who ends setup by Ctrl-C. */
const BROKEN_OFF = 'setup was broken off; run it again, and it goes on where it was';

/** The same for a Ctrl-C between two prompts, while something is looked up or waited for. */
export async function orBrokenOff<Value>(work: Promise<Value>, ending: string = BROKEN_OFF): Promise<Value> {
  const broken = Promise.withResolvers<never>();
  const onSignal = () => broken.reject(new EngineError('cancelled', ending));
  process.once('SIGINT', onSignal);
  try {
    return await Promise.race([work, broken.promise]);
  } finally {
    process.off('SIGINT', onSignal);
  }
}

/** A Ctrl-C is told by a symbol. */
const isGiven = <Value>(given: Value): given is Exclude<Value, symbol> => typeof given !== 'symbol';
