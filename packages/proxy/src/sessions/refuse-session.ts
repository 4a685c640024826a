import { problemResponse } from '../problems/problem.ts';
import type { Refuse } from '../problems/refuse.ts';
import { sessionProblems } from './session-problems.ts';

/** Refuses without a line in the log for sessions that are not there: whoever begins a new one asks for it first. */
export function refuseSession(refuse: Refuse): Refuse {
  return (problem, about) =>
    problem === sessionProblems.unknown ? problemResponse(problem) : refuse(problem, about);
}
