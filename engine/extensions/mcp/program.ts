import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Children } from '../../lib/processes/children.ts';
import { createLines, mended } from './listing.ts';

/** A program that was told to end has this long, and so has what it has started. */
const END_MS = 1000;
/** The system needs a moment to end it, and longer to forget one whose parent does not look. */
const KILLED_MS = 200;
const LOOK_MS = 10;
/** What it has written before it failed is read for this long, also where a process that it started holds the line. */
const LAST_WORDS_MS = 500;

interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** All that it is given. */
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** For the record of what was started. */
  readonly name: string;
  readonly children: Children;
  /** Longer messages end it. */
  readonly maxMessageBytes: number;
  /** Throws where the text is no message. */
  deserialize(text: string): JSONRPCMessage;
  serialize(message: JSONRPCMessage): string;
  /** Hears what it says on stderr. */
  onSaid(bytes: Buffer): void;
}

/**
 * A server that is a program, one message a line on its stdin and stdout. It is the head of a process group, so that what
 * it has started (a launcher starts the server itself) ends with it.
 */
export class Program implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ProgramOptions;
  #child: ChildProcess | null = null;
  #isClosed = false;
  readonly #lines: (chunk: Buffer) => readonly string[];

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#lines = createLines(options.maxMessageBytes);
  }

  async start(): Promise<void> {
    const { command, args, environment, cwd, children, name } = this.#options;
    const child = spawn(command, args, { cwd, env: environment, stdio: 'pipe', detached: true });
    this.#child = child;
    const { pid } = child;
    if (pid !== undefined) children.add(pid, name);
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    child.stderr.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => this.#options.onSaid(chunk));
    child.on('close', () => this.#end());
    child.on('exit', (code) => {
      // One that goes on in the background leaves with 0, and its child answers.
      if (code !== 0) setTimeout(() => this.#end(), LAST_WORDS_MS);
    });
    await once(child, 'spawn');
    child.on('error', (error) => this.onerror?.(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#isClosed) throw new Error('the program is not running');
    if (!stdin.write(this.#options.serialize(message)))
      await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]);
  }

  /** Resolves when nothing of its group is left. */
  async close(): Promise<void> {
    const pid = this.#child?.pid;
    this.#tellClosed();
    if (pid === undefined) return;
    this.#child?.stdin?.end();
    const { children } = this.#options;
    children.signal(pid, 'SIGTERM');
    await this.#untilGone(pid, END_MS);
    children.signal(pid, 'SIGKILL');
    await this.#untilGone(pid, KILLED_MS);
    this.#kill(pid);
  }

  async #untilGone(pid: number, ms: number): Promise<void> {
    for (let waited = 0; waited < ms && this.#options.children.signal(pid, 0); waited += LOOK_MS) await sleep(LOOK_MS);
  }

  #take(chunk: Buffer): void {
    try {
      for (const line of this.#lines(chunk)) this.#read(line);
    } catch (error) {
      this.onerror?.(asError(error));
      this.#end();
    }
  }

  /** Programs write what is no message to where their messages go. */
  #read(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = this.#options.deserialize(JSON.stringify(mended(line)));
    } catch (error) {
      this.onerror?.(asError(error));
      return;
    }
    this.onmessage?.(message);
  }

  /** It has ended by itself, or is of no use. */
  #end(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) this.#kill(pid);
    this.#tellClosed();
  }

  #kill(pid: number): void {
    this.#options.children.signal(pid, 'SIGKILL');
    for (const stream of this.#child?.stdio ?? []) stream?.destroy();
    this.#options.children.remove(pid);
    this.#child = null;
  }

  #tellClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
