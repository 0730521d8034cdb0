// Puts deliveries on the page as they come. What arrives is HTML the server has made and escaped.

const letters = document.querySelector<HTMLOListElement>('#letters')!
const live = document.querySelector<HTMLElement>('#live')!
const stream = new EventSource(document.body.dataset['stream']!)

stream.addEventListener('open', () => say('Live', true))
stream.addEventListener('error', () => say('The service does not answer. Trying again …', false))
stream.addEventListener('message', (message: MessageEvent<string>) => {
  const piece = document.createElement('template')
  piece.innerHTML = JSON.parse(message.data) as string
  const letter = piece.content.firstElementChild
  if (!letter) return
  letter.classList.add('new')
  letters.prepend(letter)
})

function say(words: string, isLive: boolean): void {
  live.textContent = words
  live.classList.toggle('on', isLive)
}
