import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What the process did since the last look, and holds now. */
interface Look {
  /** Between the two looks. */
  readonly cpuMs: number;
  /** Of the heap, used or not. */
  readonly heapBytes: number;
}

/** A process that does no more than this between two looks is idle. */
const IDLE_CPU_MS = 40;
const LOOK_EVERY_MS = 2000;
/** Less than this is not worth a collection, which stops the process for some 100 ms. */
const WORTH_BYTES = 16 * 1024 * 1024;

/** By this look most of what a mail needs has been compiled. */
const KEEPS_CODE_AT = 5;

/**
 * V8 keeps what it once took for a start or for a rush of mail, about 40 MB after a start, until so much is needed
 * again. So whenever the process has become idle, all of that is given back; the compiled code is written to its cache
 * first, which otherwise happens only at an orderly end. A process that is never idle keeps its code after ten seconds:
 * killed before that, it would compile all of it at its next start as well, and hold some 30 MB more for it.
 */
export function startIdleMemory(
  look: () => Look = createLook(),
  giveBack: () => void = giveAllBack,
  keepCode: () => void = flushCompileCache,
): { look(): void; stop(): void } {
  let kept = 0;
  let looks = 0;
  const once = () => {
    looks += 1;
    if (looks === KEEPS_CODE_AT) keepCode();
    const { cpuMs, heapBytes } = look();
    if (cpuMs > IDLE_CPU_MS || heapBytes < kept + WORTH_BYTES) return;
    giveBack();
    kept = look().heapBytes;
  };
  const timer = setInterval(once, LOOK_EVERY_MS);
  timer.unref();
  return { look: once, stop: () => clearInterval(timer) };
}

function createLook(): () => Look {
  let before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return { cpuMs: (user + system) / 1000, heapBytes: process.memoryUsage().heapTotal };
  };
}

/** Only this kind of collection lets go of pages; Node offers it to contexts that are made after the flag is set. */
function giveAllBack(): void {
  flushCompileCache();
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
}
