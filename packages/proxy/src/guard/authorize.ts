/** True when the application lets a request through; without a check of its own it lets everybody. */
export async function isAuthorized(
  request: Request,
  authorize: ((request: Request) => boolean | Promise<boolean>) | undefined,
): Promise<boolean> {
  return authorize === undefined || (await authorize(request));
}
