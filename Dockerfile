# skillbench: bot and worker in one image. Build: docker build -t skillbench .
# Sandboxed sessions need user namespaces inside the container; see docs/deploy.md.

FROM python:3.11-slim-bookworm AS build
WORKDIR /src
RUN python -m venv /opt/skillbench
COPY requirements.lock ./
RUN /opt/skillbench/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.lock
# what builds our own wheel is pinned as well, and stays behind with this stage
COPY requirements-build.lock ./
RUN python -m venv /opt/build \
    && /opt/build/bin/python -m pip install --no-cache-dir --require-hashes -r requirements-build.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot ./bot
COPY handlers ./handlers
COPY jobs ./jobs
COPY config ./config
COPY demo ./demo
RUN /opt/build/bin/python -m pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /opt/wheel . \
    && /opt/skillbench/bin/python -m pip install --no-cache-dir --no-deps --no-index /opt/wheel/*.whl

FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 skillbench \
    && install -d -o skillbench -g skillbench /var/lib/skillbench
COPY --from=build /opt/skillbench /opt/skillbench
ENV PATH=/opt/skillbench/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MPLCONFIGDIR=/tmp/matplotlib \
    SKILLBENCH_DATA_DIR=/var/lib/skillbench \
    SKILLBENCH_HOST=0.0.0.0
USER skillbench
VOLUME /var/lib/skillbench
EXPOSE 8000
CMD ["skillbench", "serve"]
