import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of all threads of a process that are alive, in ms. To the nanosecond where Linux keeps it so. */
export function cpuMsOf(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadNanoseconds(pid, thread), 0);
  return nanoseconds / 1e6;
}

function threadNanoseconds(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // A thread that ended between the listing and the look.
    return 0;
  }
}

/** Resident memory in MB (10^6 bytes). */
export function rssMbOf(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}
