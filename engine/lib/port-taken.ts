import { EngineError } from '#contract';

interface Door {
  readonly host: string;
  readonly port: number;
  /** The setting by which it is moved, and its file. */
  readonly key: string;
  readonly file: string;
}

/** Pure. What is thrown where a server cannot listen: `port_in_use` where its port is why. */
export function notListening(error: NodeJS.ErrnoException, { host, port, key, file }: Door): Error {
  const whys: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program has it, such as another gateway; stop that, or',
    EACCES: 'this account may not use it;',
  };
  const why = whys[error.code ?? ''];
  if (why === undefined) return error;
  const message = `cannot listen on ${host} port ${port}: ${why} set another ${key} in ${file}`;
  return new EngineError('port_in_use', message, { cause: error });
}
