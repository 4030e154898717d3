import { serveJobs } from '../../../../engine/lib/workers/serve.ts';

export type Script =
  /** Answers with its name. */
  | { readonly name: string; readonly does: 'answer' }
  /** Asks so many questions, one after the other, and answers with what it heard. */
  | { readonly name: string; readonly does: 'ask'; readonly times: number; readonly thenHang?: boolean }
  | { readonly name: string; readonly does: 'ask at once'; readonly times: number }
  | { readonly name: string; readonly does: 'compute'; readonly ms: number }
  /** Stands still for so long without computing, as where a machine works for others. */
  | { readonly name: string; readonly does: 'wait'; readonly ms: number }
  /** Does not come to its end before the test opens the gate. */
  | { readonly name: string; readonly does: 'hold'; readonly gate: Int32Array<SharedArrayBuffer> }
  | { readonly name: string; readonly does: 'hang' | 'throw' }
  /** Answers with the names of its environment. */
  | { readonly name: string; readonly does: 'tell environment' }
  /** Holds so many megabytes on its heap, taken in one step. */
  | { readonly name: string; readonly does: 'hoard'; readonly mb: number };

const hoard: unknown[] = [];
const hang = () => {
  for (;;) Math.random();
};

serveJobs<Script, string, string, string>(async (script, ask) => {
  const heard: string[] = [];
  if (script.does === 'ask') {
    for (let n = 0; n < script.times; n += 1) heard.push(await ask(`${script.name}${n}`));
    if (script.thenHang) hang();
  }
  if (script.does === 'ask at once') {
    heard.push(...(await Promise.all(Array.from({ length: script.times }, (_, n) => ask(`${script.name}${n}`)))));
  }
  if (script.does === 'compute') {
    const until = performance.now() + script.ms;
    while (performance.now() < until) Math.random();
  }
  if (script.does === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, script.ms);
  if (script.does === 'hold') Atomics.wait(script.gate, 0, 0);
  if (script.does === 'tell environment') heard.push(...Object.keys(process.env));
  if (script.does === 'hang') hang();
  if (script.does === 'throw') throw new Error('a bug');
  if (script.does === 'hoard') {
    // Eight bytes for each character, in one array.
    hoard.push('\n'.repeat(script.mb * 131_072).split(''));
    hang();
  }
  return { outcome: [script.name, ...heard].join(' '), transfer: [] };
});
