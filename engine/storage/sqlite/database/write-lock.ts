import SQLite from 'better-sqlite3';

/** Whether another connection keeps everybody from writing now, or nobody can write at all. Waits for nobody. */
export function isWriteLocked(file: string): boolean {
  const database = new SQLite(file, { timeout: 0 });
  try {
    database.exec('begin immediate; rollback');
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}
