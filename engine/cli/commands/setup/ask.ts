import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { confirm, password, select, text } from '@clack/prompts';
import { EngineError } from '#contract';
import { serverIn } from './answers.ts';
import { folderFault, folderIn } from './folder.ts';
import { budgetIn, priceIn } from './model/given.ts';
import type { OfferedModel } from './model/service.ts';

/** Where the prompts are; a terminal. */
interface Terminal {
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
  /** `isOptional`: Enter stands for none. */
  secret(options: {
    readonly about: string;
    readonly isThere: boolean;
    readonly isOptional?: boolean;
  }): Promise<string | null>;
  /** Only where the provider takes no password: the client that is registered there. */
  clientId(options: { readonly about: string; readonly suggested: string | undefined }): Promise<string>;
  /** Who has the model; the place of the choice. */
  provider(choices: readonly ModelChoice[], initial: number): Promise<number>;
  /** Only of a service that anybody may run. */
  modelAddress(suggested: string): Promise<string>;
  /** One of those that the service lists, or another one by its name. */
  modelOf(models: readonly OfferedModel[], suggested: string | undefined): Promise<string>;
  modelName(suggested: string | undefined): Promise<string>;
  /** Only where nobody has said it; null: it is not known. */
  price(model: string): Promise<{ readonly input: number; readonly output: number } | null>;
  /** In USD for a day; null: no limit. */
  budget(persona: string, suggested: number | null): Promise<number | null>;
  persona(suggested: string | undefined): Promise<string>;
  /** Only where a workspace is there: whether it is to be changed so. */
  mayWrite(): Promise<boolean>;
  /** Only where the gateway of another workspace has a port that the new one needs: whether that one is to end. */
  mayEnd(workspace: string): Promise<boolean>;
  /** Only where nothing proved the first mail and a server vouches for it. */
  mayTrust(options: { readonly server: string; readonly isItsOwn: boolean }): Promise<boolean>;
  /** Only where whoever logs in can write as somebody else; what was typed, and nothing by Enter. */
  trustWord(options: { readonly server: string; readonly word: string }): Promise<string>;
}

export interface ModelChoice {
  readonly provider: string;
  readonly label: string;
  readonly hint: string;
  /** It is asked for by its address. */
  readonly isOther?: boolean;
}

/** Of a long list. */
const MODELS_SHOWN = 12;
/** No model has this name. */
const ANOTHER = '';

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
    async secret({ about, isThere, isOptional = false }) {
      const enter = isThere ? ' (Enter keeps the one in .env)' : isOptional ? ' (Enter: it wants none)' : '';
      const given = answered(
        await password({
          ...terminal,
          message: `${about}${enter}`,
          validate: (value) => (value || isThere || isOptional ? undefined : needed('')),
        }),
      );
      return given ? given : null;
    },
    clientId: ({ about, suggested }) => line(about, suggested, needed),
    async provider(choices, initialValue) {
      const options = choices.map(({ label, hint }, value) => ({ value, label, ...(hint === '' ? {} : { hint }) }));
      return answered(
        await select({ ...terminal, message: 'The model that reads the mail: whose is it?', options, initialValue }),
      );
    },
    modelAddress: (suggested) =>
      line('Its address (OpenAI-compatible)', suggested, (value) =>
        /^https?:\/\/[^\s/]/.test(value.trim()) && URL.canParse(value.trim())
          ? undefined
          : 'an address that begins with http:// or https://, such as http://127.0.0.1:8000/v1',
      ),
    async modelOf(models, suggested) {
      const hintOf = ({ id, price }: OfferedModel) =>
        id === suggested ? 'suggested' : price === null ? '' : `${price.input} and ${price.output} USD`;
      const listed = models.map((one) => ({ value: one.id, label: one.id, hint: hintOf(one) }));
      const known = listed.some(({ value }) => value === suggested);
      const chosen = answered(
        await select({
          ...terminal,
          message: 'Which of its models?',
          maxItems: MODELS_SHOWN,
          options: [...listed, { value: ANOTHER, label: 'another one, by its name', hint: '' }],
          ...(known && suggested !== undefined ? { initialValue: suggested } : {}),
        }),
      );
      return chosen === ANOTHER ? line('The name of the model', undefined, needed) : chosen;
    },
    modelName: (suggested) => line('The name of the model', suggested, needed),
    async price(model) {
      const message = `What ${model} costs, in USD per million tokens in and out, such as 1.25 10 (Enter: nobody knows)`;
      const given = answered(
        await text({
          ...terminal,
          message,
          validate: (value) =>
            !value?.trim() || priceIn(value) !== null ? undefined : 'two numbers, such as 1.25 10, or nothing',
        }),
      );
      return given?.trim() ? priceIn(given) : null;
    },
    async budget(persona, suggested) {
      const message = `What ${persona} may spend in a day at most, in USD (none: as much as it takes)`;
      const given = await line(message, suggested === null ? 'none' : String(suggested), (value) =>
        budgetIn(value) === undefined ? 'an amount such as 5, or none' : undefined,
      );
      return budgetIn(given) ?? null;
    },
    persona: (suggested) => line('The name of the persona', suggested, needed),
    mayWrite: async () => answered(await confirm({ ...terminal, message: 'Write it?', initialValue: true })),
    mayEnd: async (workspace) =>
      answered(
        await confirm({
          ...terminal,
          message: `The gateway of ${workspace} runs and has a port that this one needs. Stop it?`,
          initialValue: true,
        }),
      ),
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
