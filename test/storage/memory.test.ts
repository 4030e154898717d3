import { describe } from 'vitest';
import { memoryJobs } from './memory-jobs.ts';
import { jobPromises } from './suite/jobs.ts';

describe('kept in memory:', () => jobPromises(async () => memoryJobs()));
