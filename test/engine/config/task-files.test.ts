import { describe, expect, it } from 'vitest';
import { taskFiles } from '../../../engine/config/task-files.ts';
import { temporaryWorkspace } from './temporary-workspace.ts';

describe('the tasks of a persona', () => {
  it('are its Markdown files by name, an unreadable one with its problem', () => {
    const { path } = temporaryWorkspace({
      'personas/ada/tasks/b.md': 'two',
      'personas/ada/tasks/a.md': 'one',
      'personas/ada/tasks/notes.txt': '',
      'personas/ada/tasks/.draft.md': '',
      'personas/ada/tasks/folder.md/x': '',
    });
    expect(taskFiles(path, 'ada')).toEqual([
      { task: 'a', file: 'personas/ada/tasks/a.md', text: 'one', problem: null },
      { task: 'b', file: 'personas/ada/tasks/b.md', text: 'two', problem: null },
      {
        task: 'folder',
        file: 'personas/ada/tasks/folder.md',
        text: null,
        problem: expect.objectContaining({ code: 'unreadable' }),
      },
    ]);
    expect(taskFiles(path, 'nobody')).toEqual([]);
  });
});
