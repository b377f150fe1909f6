"""The image of an environment, as the engine holds it: by id, so that both arms use one."""

from jobs.environments.pinned import Environment
from jobs.errors import Refused


async def find_image_id(environment: Environment, host: str) -> str:
    """The id of an environment's image on the engine at `host`, pulled if need be.

    Raises `Refused` where it cannot be had, `Transient` where the engine is away.
    """
    # its client takes a quarter of a second to load, which most workers need not spend
    from jobs.sessions.docker_engine import connected, find_image  # noqa: PLC0415

    async with connected(host) as docker:
        try:
            image = await find_image(docker, environment.image, host)
        except Refused:
            raise Refused(
                f"the image `{environment.image}` of the environment `{environment.name}` is not "
                "on the Docker Engine and cannot be pulled. Correct its name in "
                "`.github/skillbench.yml`, or have the operator of this bot run "
                f"`docker pull {environment.image}` where the engine is; then ask again. Nothing "
                "was spent."
            ) from None
    return image.id
