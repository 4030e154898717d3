import { LANGUAGES } from '../../wording/language.ts';
import type { NewsKey } from '../../wording/to-owners/news.ts';
import { noticeTo, type Telling } from './tell-owners.ts';

/** Set by the step of the databases that an earlier build's workspace goes through; keys with a comma between them. */
const DUE = 'news';

/** One mail to the owners of a workspace that an earlier build has worked in: what behaves otherwise now. */
export async function tellNews({ workspace, announce }: Telling): Promise<void> {
  const { gateway } = workspace;
  const kept = await gateway.setting(DUE, () => '');
  if (kept === '') return;
  const { NEWS } = await import('../../wording/to-owners/news.ts');
  const isNews = (key: string): key is NewsKey =>
    LANGUAGES.some((language) => Object.hasOwn(NEWS[language].items, key));
  const due = kept.split(',').filter(isNews);
  if (due.length === 0) return;
  await noticeTo({ workspace, announce }, () => false, {
    id: `notice:news:${due.join(',')}`,
    words: (language) => {
      const { subject, opening, items } = NEWS[language];
      return {
        subject,
        text: [opening, '', ...due.flatMap((key) => items[key].map((item) => `- ${item}`))].join('\n'),
      };
    },
  });
  await gateway.changeSetting(DUE, '');
}
