import { expect, it } from 'vitest';
import { hasDestructiveIntent } from '../../../../engine/harness/policy/destructive-intent.ts';

it.each([
  'Please delete the two drafts',
  'Get rid of the old ones.',
  'Bitte lösche die beiden Entwürfe',
  'Kannst du die Dateien entfernen?',
  'Supprimez les deux brouillons',
  'Borra los dos borradores',
  'Elimina i due file',
  'Apague os dois rascunhos',
  'Verwijder de oude bestanden',
  'Usuń oba pliki',
  'Удали оба черновика',
  '请删除这两个文件',
  '二つの下書きを削除してください',
  '파일을 삭제해 주세요',
  'احذف الملفين',
])('hears a wish for something to be gone: %s', (request) => {
  expect(hasDestructiveIntent(request)).toBe(true);
});

it.each(['Please write to Carl.', 'Wie ist das Wetter?', 'Où est le dossier ?', 'How are sales in Delhi?', ''])(
  'hears none in %j',
  (request) => {
    expect(hasDestructiveIntent(request)).toBe(false);
  },
);
