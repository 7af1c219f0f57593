"""Chat models, embedding models and extractors behind the ports: the only package that imports their libraries."""
