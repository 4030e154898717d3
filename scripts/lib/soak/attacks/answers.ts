import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export type Answers = ReturnType<typeof openAnswers>;

/** What leaves a gateway into its folder: read once and taken away, as a mail server would. */
export function openAnswers(folder: string) {
  const answered = new Set<string>();
  const notices: string[] = [];

  function look(): void {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
    for (const name of names) {
      const path = join(folder, name);
      const head = readFileSync(path, 'latin1').slice(0, 16_384);
      const to = /^In-Reply-To:\s*(<[^>]*>)/im.exec(head)?.[1];
      if (to) answered.add(to);
      if (/^X-Epistle-Kind:\s*notice/im.test(head)) notices.push(/^Subject:\s*(.*)$/im.exec(head)?.[1]?.trim() ?? '');
      rmSync(path);
    }
  }

  return {
    /** Whether the mail of this Message-ID has its answer. */
    has(id: string): boolean {
      if (!answered.has(id)) look();
      return answered.has(id);
    },
    /** Subjects of the mails that told owners something of their own accord. */
    notices(): readonly string[] {
      look();
      return notices;
    },
  };
}
