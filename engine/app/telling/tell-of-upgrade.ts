import type { Again } from '../../storage/types/approvals.ts';
import { news } from './news.ts';
import { missingPrices, noticeTo, type Telling, type UpgradePart } from './tell-owners.ts';

/** One mail to the owners of a workspace that an earlier build has worked in, with all that is otherwise now. */
export async function tellOfUpgrade(telling: Telling): Promise<void> {
  const found = await Promise.all([news(telling), tools(telling), missingPrices(telling)]);
  const parts = found.filter((part) => part !== null);
  const [first, ...others] = parts;
  if (first === undefined) return;
  const { say } = await import('../../languages/say.ts');
  const isTold = await noticeTo(telling, () => false, {
    // Of the first part: after a crash there may be other ones beside it, and it is the same mail.
    id: first.id,
    ...offered(parts),
    words(language) {
      if (others.length === 0) return first.words(language);
      const [before, ...rest] = parts.map((part) => part.words(language));
      const below = rest.flatMap(({ subject, text }) => ['', subject, '', text]);
      return { subject: say(language, 'news.subject'), text: [before?.text ?? '', ...below].join('\n') };
    },
  });
  if (!isTold) return;
  for (const part of parts) await part.told();
}

/** One mail asks one thing. */
function offered(parts: readonly UpgradePart[]): { readonly again?: Again } {
  const [offer] = parts.flatMap(({ offers }) => offers ?? []);
  return offer === undefined ? {} : { again: offer };
}

/** Loaded where there are any: most gateways take nothing over. */
const tools = async (telling: Telling) =>
  telling.workspace.toolPins.takesOver() ? (await import('../pins/pinned-tools.ts')).pinnedTools(telling) : null;
